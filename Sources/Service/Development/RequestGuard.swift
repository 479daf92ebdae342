import HTTP
import JSON
import Support

/// Refuses requests that a person's own programs and pages would not send: for another host, as after DNS rebinding;
/// changes that a page of another origin asks for; and hosts over plain HTTP. Lets nobody frame a page.
struct RequestGuard: Sendable {
  private static let names = ["127.0.0.1", "localhost", "[::1]"]
  private static let readers: Set<String> = ["GET", "HEAD", "OPTIONS"]

  private let settings: DevelopmentSettings
  private let scheme: String
  /// The values of `Host` that are ours, in lower case.
  private let hosts: Set<String>

  init(_ settings: DevelopmentSettings) {
    self.settings = settings
    let url = WebURL(settings.origin)
    scheme = url?.scheme ?? "https"
    let names = Self.names + (url.map { [$0.host] } ?? [])
    hosts = Set(names.map { "\($0):\(url?.port ?? 0)" })
  }

  /// `nil` for a request that may be answered.
  func refusal(of request: HTTPRequest) -> HTTPResponse? {
    guard let host = ownHost(request) else {
      return .refused("Host must be the address of this development tenant, \(settings.origin).")
    }
    let isPage = Self.isOwn(request)
    guard Self.readers.contains(request.method) || mayChange(request, at: host, isPage: isPage) else {
      return .refused("A page of another origin may not change anything in this development tenant.")
    }
    guard settings.provesItself || HTTPTarget(request.url)?.path.first != "mam" else {
      return .refused(
        "Hosts need https: over plain http, whoever takes this port later could pose as the development tenant. Start "
          + "mambridge-tenant dev without --http.")
    }
    return nil
  }

  /// Whether no page of another origin may have a part in it, not even a registered one.
  private static func isOwn(_ request: HTTPRequest) -> Bool {
    SignInRoute(request.url)?.isPage ?? false || Control.isControl(HTTPTarget(request.url))
  }

  private func ownHost(_ request: HTTPRequest) -> String? {
    let values = request.headers.all("Host").map { $0.lowercased() }
    return values.count == 1 && hosts.contains(values[0]) ? values[0] : nil
  }

  /// Programs send no Origin; browsers send it with each change.
  private func mayChange(_ request: HTTPRequest, at host: String, isPage: Bool) -> Bool {
    let origins = request.headers.all("Origin")
    guard let origin = origins.first else {
      return ["same-origin", "none", nil].contains(request.headers["Sec-Fetch-Site"]?.lowercased())
    }
    guard origins.count == 1 else { return false }
    return origin == "\(scheme)://\(host)" || !isPage && settings.redirects.origins.contains(origin)
  }
}

// MARK: - Headers

extension RequestGuard {
  /// The answer to a browser that asks whether a page of a registered origin may send a request.
  func preflight(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.method == "OPTIONS" else { return nil }
    var response = HTTPResponse(204)
    guard isRegistered(request) else { return response }
    response.headers["Access-Control-Allow-Methods"] = "GET, POST, DELETE"
    response.headers["Access-Control-Allow-Headers"] = request.headers["Access-Control-Request-Headers"].flatMap {
      $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? $0 : nil
    }
    return response
  }

  private func isRegistered(_ request: HTTPRequest) -> Bool {
    request.headers["Origin"].map(settings.redirects.origins.contains) ?? false
  }

  /// With the headers that each response has.
  func protected(_ response: HTTPResponse, of request: HTTPRequest) -> HTTPResponse {
    var response = response
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Mambridge-Development"] = "true"
    if !settings.redirects.origins.isEmpty { response.headers["Vary"] = "Origin" }
    if isRegistered(request), !Self.isOwn(request) {
      response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
    }
    return response
  }
}

extension HTTPResponse {
  fileprivate static func refused(_ message: String) -> HTTPResponse {
    let body: JSONObject = ["error": ["code": "forbidden", "message": .string(message)]]
    return HTTPResponse(403, json: Array(body.jsonText.utf8))
  }
}
