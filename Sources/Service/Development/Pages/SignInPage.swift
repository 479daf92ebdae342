import HTTP
import SourceProtocol
import Support
import Tenancy

/// The page on which a person chooses who signs in.
struct SignInPage {
  /// The names of its own fields; everything else is passed on.
  static let own: Set<String> = ["user", "secret", "decline", "otc", "outcome"]

  let action: String
  /// Where the sign-in leads; `nil` for a device code.
  var destination: String?
  var origin: String?
  /// The request that the page is about.
  var kept: [(name: String, value: String)] = []
  /// The device code, as far as it is known; `nil` for a sign-in without one.
  var code: String?
  /// The user principal name that the app expects.
  var hint: String?

  fileprivate func html(_ users: [TenantUser], _ error: EntraError?) -> String {
    let chosen = users.first { $0.userPrincipalName.lowercased() == hint?.lowercased() } ?? users.first
    let options = users.map { user in
      let mark = user.userPrincipalName == chosen?.userPrincipalName ? " checked" : ""
      let state = user.isEnabled ? "" : " <small>disabled</small>"
      return """
        <label><input type="radio" name="user" value="\(user.userPrincipalName.escaped)"\(mark)> \
        \(user.displayName.escaped) <small>\(user.userPrincipalName.escaped)</small>\(state)</label>
        """
    }
    let hidden = kept.map { #"<input type="hidden" name="\#($0.name.escaped)" value="\#($0.value.escaped)">"# }
    let codeField = code.map {
      #"<label class="field">Code <input name="otc" value="\#($0.escaped)" autocomplete="off" autofocus></label>"#
    }
    let outcomes = FaultKind.pageOutcomes.map { #"<option value="\#($0.rawValue)">\#($0.pageText)</option>"# }
    let place = destination.map { "<p>Then the browser goes to <code>\($0.escaped)</code>.</p>" }
    let wrong = error == .wrongPageSecret ? #" id="wrong""# : ""
    let message = error.map { #"<p role="alert" class="bad"\#(wrong)>\#($0.description.escaped)</p>"# }
    return """
      <h1>Who signs in?</h1>
      \(message ?? "")
      <form method="post" action="\(action.escaped)">
      \(hidden.joined(separator: "\n"))
      \(codeField ?? "")
      <fieldset><legend>User</legend>
      \(options.joined(separator: "\n"))
      </fieldset>
      <p><label>The user <select name="outcome">
      <option value="">signs in</option>
      \(outcomes.joined(separator: "\n"))
      </select></label></p>
      <label class="field" id="asked">Secret of the run
      <input type="password" name="secret" id="secret" autocomplete="off"></label>
      \(place ?? "")
      <p><button>Sign in</button> <button name="decline" value="1">Decline</button></p>
      </form>
      """
  }
}

extension IdentityProvider {
  private static let mostUsers = 200

  func show(_ page: SignInPage, _ error: EntraError? = nil) -> HTTPResponse {
    let users = (try? edition.tenant.users)?.filter { !$0.isDeleted } ?? []
    return HTMLPage(
      title: "Sign in", body: page.html(Array(users.prefix(Self.mostUsers)), error), script: HTMLPage.remembered,
      formTargets: ["'self'"] + (page.origin.map { [$0] } ?? [])
    ).response(error?.status ?? 200)
  }

  func page(_ error: EntraError) -> HTTPResponse {
    HTMLPage.note("The sign-in cannot go on", error.description, status: error.status)
  }
}
