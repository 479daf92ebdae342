import Cryptography
import HTTP
import SourceProtocol
import Support
import Tenancy

/// What an app asks at the authorization endpoint, after a look at where the answer may go.
struct AuthorizeRequest {
  enum ResponseMode: String {
    case query, fragment
    case formPost = "form_post"
  }

  let redirect: String
  let mode: ResponseMode
  let state: String?
  private let fields: FormFields

  /// Throws if the answer may not go to the address that the request names: then a person sees the error, and no app
  /// gets anything.
  init(_ fields: FormFields, _ settings: DevelopmentSettings) throws(EntraError) {
    guard fields["client_id"]?.lowercased() == DevelopmentSettings.clientId else { throw EntraError.noClient }
    let redirect = try fields.required("redirect_uri")
    guard settings.redirects.contains(redirect) else { throw EntraError.redirect }
    (self.redirect, self.fields, state) = (redirect, fields, fields["state"])
    guard let mode = fields["response_mode"].map({ ResponseMode(rawValue: $0) }) ?? .query else {
      throw EntraError("invalid_request", 70002, "The response_mode must be query, fragment or form_post.")
    }
    self.mode = mode
  }

  /// Throws for a request that gets no code, which the app may know.
  func challenge() throws(EntraError) -> String {
    guard fields["response_type"] == "code" else {
      throw EntraError("unsupported_response_type", 700_054, "The response_type must be code.")
    }
    guard fields["prompt"] != "none" else {
      throw EntraError("login_required", 50058, "Nobody is signed in; a person must choose a user.")
    }
    guard let challenge = fields["code_challenge"], fields["code_challenge_method"] == "S256" else {
      throw EntraError(
        "invalid_request", 9_002_325, "PKCE is needed: code_challenge, with the code_challenge_method S256.")
    }
    return challenge
  }

  /// Where the browser sends the answer, as the source of a form may name it.
  var origin: String { WebURL(redirect)?.origin ?? "'none'" }

  func response(_ fields: [(name: String, value: String)]) -> HTTPResponse {
    let all = fields + (state.map { [(name: "state", value: $0)] } ?? [])
    guard mode != .formPost else { return HTMLPage.passing(all, to: redirect, origin) }
    let pairs = all.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
    let mark = mode == .fragment ? "#" : redirect.contains("?") ? "&" : "?"
    return HTTPResponse(
      303, headers: HTTPHeaders(["Location": redirect + mark + pairs, "Cache-Control": "no-store"]))
  }

  func response(_ error: EntraError) -> HTTPResponse {
    response([("error", error.code), ("error_description", error.description)])
  }
}

extension IdentityProvider {
  /// Shows the users, and leads back to the app after a choice. Whoever chooses must know the secret of the run.
  func authorize(_ fields: FormFields, isChoice: Bool, at url: String) throws -> HTTPResponse {
    let request = try AuthorizeRequest(fields, settings)
    let (challenge, scope): (String, RequestedScope)
    do throws(EntraError) {
      (challenge, scope) = (try request.challenge(), try self.scope(fields))
    } catch {
      return request.response(error)
    }
    let page = SignInPage(
      action: String(url.prefix { $0 != "?" }), destination: request.redirect, origin: request.origin,
      kept: fields.all.filter { !SignInPage.own.contains($0.name) }, hint: fields["login_hint"])
    guard isChoice else { return show(page) }
    switch choice(fields) {
    case .failure(let error): return show(page, error)
    case .success(nil): return request.response(.declined)
    case .success(let user?):
      let outcome = try Self.outcome(fields)
      guard outcome != .disabled else { return show(page, .disabled) }
      if let outcome, let error = EntraError(outcome, of: .page) { return request.response(error) }
      let grant = Grant(user: user.id, scope: scope, nonce: fields["nonce"])
      let code = try grants.code(
        for: grant, redirect: request.redirect, challenge: challenge, at: clock.now,
        life: outcome == .expired ? 0 : Grants.codeLife)
      return request.response([("code", code), ("client_info", try clientInfo(of: user))])
    }
  }

  /// Approves a device code for the user who is chosen.
  func deviceLogin(_ fields: FormFields, isChoice: Bool) throws -> HTTPResponse {
    let page = SignInPage(
      action: "/devicelogin", code: fields["otc"] ?? "", hint: fields["login_hint"])
    guard isChoice else { return show(page) }
    let chosen: Result<TenantUser?, EntraError> = choice(fields)
    guard case .success(let user) = chosen else { return show(page, chosen.failure) }
    guard let code = grants.pending(fields["otc"] ?? "", at: clock.now) else {
      return show(page, EntraError("invalid_request", 70018, "No program waits for this code."))
    }
    guard let user else {
      grants.settle(code, .declined)
      return HTMLPage.note("Declined", "The program was told that nobody signed in. You can close this page.")
    }
    if let outcome = try Self.outcome(fields), let error = EntraError(outcome, of: .deviceCode) {
      grants.settle(code, .failed(error))
      return HTMLPage.note("Not signed in", "The program was told: \(error.description) You can close this page.")
    }
    grants.settle(code, .approved(Grant(user: user.id, scope: code.scope)))
    return HTMLPage.note("Signed in", "The program goes on as \(user.userPrincipalName). You can close this page.")
  }

  /// How the person wants the sign-in to end; `nil` for one that succeeds.
  private static func outcome(_ fields: FormFields) throws(EntraError) -> FaultKind? {
    guard let text = fields["outcome"] else { return nil }
    guard let kind = FaultKind(rawValue: text), FaultKind.pageOutcomes.contains(kind) else {
      let known = FaultKind.pageOutcomes.map(\.rawValue).joined(separator: ", ")
      throw EntraError("invalid_request", 90014, "The outcome must be one of: \(known).")
    }
    return kind
  }

  /// Nobody stays signed in here, so there is nothing to end but the person's way back.
  func logOut(_ fields: FormFields) throws(EntraError) -> HTTPResponse {
    guard let redirect = fields["post_logout_redirect_uri"] else {
      return HTMLPage.note("Signed out", "This page remembers nobody. You can close it.")
    }
    guard settings.redirects.contains(redirect) else { throw EntraError.redirect }
    let state = fields["state"].map { (redirect.contains("?") ? "&" : "?") + "state=" + $0.percentEncoded } ?? ""
    return HTTPResponse(303, headers: HTTPHeaders(["Location": redirect + state]))
  }

  /// The user whom a person with the secret has chosen; `nil` to decline.
  private func choice(_ fields: FormFields) -> Result<TenantUser?, EntraError> {
    guard settings.isSecret(fields["secret"]) else { return .failure(.wrongPageSecret) }
    guard fields["decline"] == nil else { return .success(nil) }
    do throws(EntraError) { return .success(try user(try fields.required("user"))) } catch { return .failure(error) }
  }
}

extension Result where Failure == EntraError {
  fileprivate var failure: EntraError? {
    if case .failure(let error) = self { error } else { nil }
  }
}
