import Cryptography
import JSON
import Model

/// A diagnostic report as a self-contained HTML file: the report as data, the console's renderer and style, and the report
/// as plain text for browsers without scripts. It loads nothing, and its content security policy lets a browser run
/// nothing else.
package struct DiagnosticPage {
  private let document: DiagnosticDocument

  package init(report: DiagnosticReport) {
    document = report.document
  }

  package var bytes: [UInt8] { Array(text.utf8) }

  package var text: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <meta http-equiv="Content-Security-Policy" content="\(Self.contentPolicy)">
    <title>\(title.escapedForHTML)</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <div id="app"></div>
    <noscript><main class="view"><h1>\(title.escapedForHTML)</h1>
    <p class="note">This report names accounts: share it only with people who may see them.</p>
    <pre>\(document.plainText.escapedForHTML)</pre></main></noscript>
    <script type="application/json" id="report">\(data)</script>
    <script type="module">\(Self.script)</script>
    </body>
    </html>

    """
  }

  private var title: String { "Diagnostics of \(document.appId)" }

  /// Without "<", nothing in the data can end the script element or begin a comment.
  private var data: String {
    let parts = document.jsonText.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false)
    return parts.map { String(Substring($0)) }.joined(separator: #"\u003c"#)
  }

  private static let style = ConsoleFiles.styles(["tokens.css", "frame.css", "report.css"])
  private static let script = ConsoleFiles.script(["dom.js", "icons.js", "parts.js", "report.js", "page.js"])

  private static let contentPolicy = """
    default-src 'none'; style-src \(source(of: style)); script-src \(source(of: script)); base-uri 'none'; \
    form-action 'none'
    """

  /// The hash by which the content security policy allows a text. Without a digest, nothing is allowed.
  private static func source(of text: String) -> String {
    guard let digest = try? SHA256.digest(Array(text.utf8)) else { return "'none'" }
    return "'sha256-\(Base64Bytes(digest).jsonValue.stringValue ?? "")'"
  }
}

extension String {
  /// The text as the content of an element. Invisible characters are written as their numbers.
  var escapedForHTML: String {
    var html = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\n": html += "\n"
      case _ where scalar.isInvisible: html += scalar.number
      default: html.unicodeScalars.append(scalar)
      }
    }
    return html
  }
}

extension Unicode.Scalar {
  /// Whether the character is a control, or changes the direction of the text after it.
  package var isInvisible: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// For example `U+202E`.
  package var number: String { "U+" + String(value, radix: 16, uppercase: true) }
}
