import HTTP
import Support

/// A page that loads nothing, runs only its own script, and can be framed by nobody.
struct HTMLPage {
  let title: String
  /// HTML.
  let body: String
  var script = ""
  /// Where its forms may lead, as a Content-Security-Policy writes it.
  var formTargets = ["'self'"]

  /// Where page.js keeps the secret. Storage belongs to the origin with its port. A cookie would go to each port of this
  /// machine, also to those of other users.
  private static let place = "mambridge-development-secret"

  /// Fills the secret in, if the browser knows it; one that is wrong is of an earlier run.
  static let remembered = """
    if (document.getElementById("wrong")) localStorage.removeItem("\(place)");
    const known = localStorage.getItem("\(place)");
    if (known) {
      document.getElementById("secret").value = known; document.getElementById("asked").hidden = true;
    }
    """

  static func note(_ title: String, _ text: String, status: Int = 200) -> HTTPResponse {
    HTMLPage(title: title, body: "<h1>\(title.escaped)</h1>\n<p>\(text.escaped)</p>").response(status)
  }

  /// Sends a form on to an app, as `response_mode=form_post` asks.
  static func passing(_ fields: [(name: String, value: String)], to address: String, _ origin: String) -> HTTPResponse {
    let inputs = fields.map { #"<input type="hidden" name="\#($0.name.escaped)" value="\#($0.value.escaped)">"# }
    return HTMLPage(
      title: "Signed in",
      body: """
        <form method="post" action="\(address.escaped)">
        \(inputs.joined(separator: "\n"))
        <button>Back to the app</button>
        </form>
        """, script: "document.forms[0].submit();", formTargets: [origin]
    ).response(200)
  }

  func response(_ status: Int) -> HTTPResponse {
    let nonce = String.randomUUID
    let policy = [
      "default-src 'none'", "style-src 'nonce-\(nonce)'", "script-src 'nonce-\(nonce)'", "base-uri 'none'",
      "frame-ancestors 'none'", "form-action \(formTargets.joined(separator: " "))",
    ]
    let text = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>\(title.escaped) (development)</title>
      <style nonce="\(nonce)">\(Self.style)</style>
      </head>
      <body>
      <p class="mark">development: no real sign-in</p>
      <main>
      \(body)
      </main>
      <script nonce="\(nonce)">\(script)</script>
      </body>
      </html>

      """
    return HTTPResponse(
      status,
      headers: HTTPHeaders([
        "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
        "Content-Security-Policy": policy.joined(separator: "; "),
        // With no-referrer, browsers send Origin: null with forms.
        "Referrer-Policy": "same-origin",
      ]), body: Array(text.utf8))
  }

  private static let style = """
    :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
    body { margin: 0 auto; padding: 1rem; max-width: 34rem; overflow-wrap: anywhere; }
    [hidden] { display: none !important; }
    label { display: block; padding: 0.25rem 0; }
    .field input { display: block; width: 100%; box-sizing: border-box; font: inherit; }
    button { font: inherit; padding: 0.25rem 1rem; }
    .mark { border-bottom: 1px solid; }
    .bad { border: 1px solid; padding: 0.5rem; }
    """
}

extension String {
  /// As text or the value of an attribute in HTML.
  var escaped: String {
    var text = ""
    for character in self {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.append(character)
      }
    }
    return text
  }
}
