import HTTP
import JSON
import SourceProtocol
import Support

/// Speaks with a tenant service as a host.
package struct TenantServiceClient: Sendable {
  package static let descriptionPatience = Duration.seconds(8)
  /// With the time for the description, less than mambridge waits for a source.
  package static let patience = Duration.seconds(15)
  /// Less than mambridge takes from a source.
  static let answerBytes = 63 << 20
  private static let shortAnswerBytes = 1 << 20
  /// How much longer than its own limit the service may take to answer a request that waits for changes.
  private static let changesGrace = Duration.seconds(10)

  private let http: any HTTPClient
  private let base: String
  /// Without a slash at its end.
  package var url: String { base }
  private let clock: any Clock

  /// `url` is where the service is found, with or without a slash at its end.
  package init(_ url: String, _ http: any HTTPClient, clock: any Clock = SystemClock()) {
    base = url.hasSuffix("/") ? String(url.dropLast()) : url
    (self.http, self.clock) = (http, clock)
  }

  package func description() async throws(SourceError) -> ServiceDescription {
    let response = try await send(
      HTTPRequest("GET", base + "/mam/v1/"), patience: Self.descriptionPatience, largest: Self.shortAnswerBytes)
    try check(response)
    guard var description = try ServiceDescription(json(response)) else { throw unreadable }
    description.isDevelopment = response.headers["Mambridge-Development"] != nil
    return description
  }

  /// The answer of a check-in.
  struct CheckIn: Sendable {
    /// JSON text.
    let text: [UInt8]
    let revision: Int64?
    let canPush: Bool
  }

  /// `body` is JSON text, and `token` goes into the header alone.
  func checkIn(_ body: [UInt8], token: TokenText?) async throws(SourceError) -> CheckIn {
    var request = post("/mam/v1/check-in", body)
    if let token { request.headers["Authorization"] = "Bearer \(token.text)" }
    let response = try await send(request, patience: Self.patience, largest: Self.answerBytes)
    do throws(SourceError) {
      try check(response, ofCheckInWithToken: token != nil)
    } catch {
      var refusal = error
      refusal.hold = (try? JSONValue(parsing: response.body))?[SourceAnswer.hold.name]
      throw refusal
    }
    let answer = try json(response)
    guard answer["outcome"]?.stringValue != nil else { throw unreadable }
    return CheckIn(
      text: response.body, revision: answer["revision"]?.integerValue, canPush: answer["push"]?.boolValue ?? true)
  }

  /// `body` is JSON text.
  func report(_ body: [UInt8], operation: String, of registration: SourceRegistration) async throws(SourceError) {
    var request = post("\(path(registration))/operations/\(operation.percentEncoded)", body)
    request.headers["Authorization"] = Self.credentials(registration)
    try checkRegistration(await send(request, patience: Self.patience, largest: Self.shortAnswerBytes))
  }

  func leave(_ registration: SourceRegistration) async throws(SourceError) {
    var request = HTTPRequest("DELETE", base + path(registration))
    request.headers["Authorization"] = Self.credentials(registration)
    try checkRegistration(await send(request, patience: Self.patience, largest: Self.shortAnswerBytes))
  }

  private func path(_ registration: SourceRegistration) -> String {
    "/mam/v1/registrations/\(registration.id.percentEncoded)"
  }

  /// The secret alone permits reports and leaving.
  private static func credentials(_ registration: SourceRegistration) -> String {
    "Registration \(registration.secret.base64Text)"
  }

  /// Waits for changes. `body` is JSON text, which asks to wait for at most `wait`.
  func changes(_ body: [UInt8], wait: Duration) async throws(SourceError) -> JSONValue {
    let response = try await send(
      post("/mam/v1/changes", body), patience: wait + Self.changesGrace, largest: Self.shortAnswerBytes)
    try check(response)
    return try json(response)
  }
}

extension TenantServiceClient {
  private func post(_ path: String, _ body: [UInt8]) -> HTTPRequest {
    HTTPRequest("POST", base + path, headers: HTTPHeaders(["Content-Type": "application/json"]), body: body)
  }

  private func send(
    _ request: HTTPRequest, patience: Duration, largest: Int
  ) async throws(SourceError) -> HTTPResponse {
    var request = request
    request.headers["Accept"] = "application/json"
    do throws(HTTPFailure) {
      return try await http.send(request, patience: patience, largestBody: largest)
    } catch {
      throw SourceError(.unreachable, error.text)
    }
  }

  private func json(_ response: HTTPResponse) throws(SourceError) -> JSONValue {
    guard let value = try? JSONValue(parsing: response.body), value.objectValue != nil else { throw unreadable }
    return value
  }

  private var unreadable: SourceError {
    SourceError(
      .unreachable,
      "\(base) did not answer as a tenant service does. Check the address, and whether a proxy is in between.")
  }

  private func check(_ response: HTTPResponse, ofCheckInWithToken hasToken: Bool? = nil) throws(SourceError) {
    let retryAfter = response.headers.retryAfter(at: clock.now)
    switch response.status {
    // A network that wants a sign-in says so to reports, too, which must not count as delivered then.
    case 200...299 where response.isWebPage:
      throw SourceError(.unreachable, HTTPResponse.webPageText(from: base, status: response.status))
    case 200...299: return
    case 401 where hasToken == true:
      throw SourceError(.signInNeeded, "\(base) refused the token of the user. Sign in again.")
    case 401: throw SourceError(.signInNeeded, "\(base) needs a token of the user. Sign in.")
    case 403 where hasToken != nil:
      throw SourceError(
        .signInNeeded, "\(base) does not accept the token for this account. Sign in as the user of the account.")
    case 410 where hasToken != nil:
      throw SourceError(.switchedOff, "\(base) is switched off for this tenant. Ask its administrator.")
    case 429:
      throw SourceError(.unreachable, "\(base) has too many requests now (status 429).", retryAfter: retryAfter)
    case 300...399:
      let place = response.headers["Location"].flatMap { WebURL($0)?.origin } ?? "another address"
      throw SourceError(.unreachable, "\(base) redirects to \(place). Use that address.")
    case 500...:
      throw SourceError(
        .unreachable, "\(base) cannot answer now (status \(response.status)). Ask its administrator if this lasts.",
        retryAfter: retryAfter)
    default:
      let reason = (try? JSONValue(parsing: response.body))?["error"]?["message"]?.stringValue
      throw SourceError(
        .unreachable,
        "\(base) answered with status \(response.status). "
          + (reason.map { "It says: \($0.shown(atMost: 300))" }
            ?? "Check that a tenant service of this version is there."),
        retryAfter: retryAfter)
    }
  }

  private func checkRegistration(_ response: HTTPResponse) throws(SourceError) {
    guard response.status != 404, response.status != 410 else {
      throw SourceError(.unknownRegistration, "\(base) does not know the registration any longer.")
    }
    try check(response)
  }
}
