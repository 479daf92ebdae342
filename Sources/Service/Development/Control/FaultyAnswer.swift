import Cryptography
import HTTP
import JSON
import SourceProtocol
import Support

/// Answers a request as a fault wants it, out of the answer that there would be.
struct FaultyAnswer {
  /// Longer than a host waits.
  private static let usualDelay = Duration.seconds(30)

  let fault: PlantedFault
  let place: FaultyPlace
  let request: HTTPRequest
  let settings: DevelopmentSettings
  let now: Timestamp

  /// `sound` gives the answer to a request without the fault.
  func response(
    expired: (String) -> String?, _ sound: (HTTPRequest) async -> HTTPResponse
  ) async -> HTTPResponse {
    switch fault.kind {
    case .unreachable:
      var none = HTTPResponse(503)
      none.ending = .none
      return none
    case .slow:
      try? await Task.sleep(for: fault.delay ?? Self.usualDelay)
      return await sound(request)
    case .tooManyRequests: return refused(429, "TooManyRequests")
    case .serviceUnavailable: return refused(503, "ServiceUnavailable")
    case .cut:
      var cut = await sound(request)
      cut.ending = .cut
      return cut
    case .malformed: return HTTPResponse(200, json: Array("{\"value\": [".utf8))
    case .nextLinkLoop: return looped(await sound(request))
    case .expired: return await sound(with(request.headers.credentials("Bearer").flatMap(expired)))
    case .refused: return await sound(with("refused"))
    case .claimsChallenge: return challenged(await sound(with("refused")))
    case .otherUser, .needed, .disabled, .mfaRequired, .consentRequired: return await sound(request)
    }
  }

  private func refused(_ status: Int, _ code: String) -> HTTPResponse {
    let text = "\(status) because a fault is planted"
    var response =
      place == .token
      ? EntraError("temporarily_unavailable", 90033, "\(text).", status: status).response(at: now)
      : HTTPResponse(
        status,
        json: Array(JSONValue.object(["error": ["code": .string(code), "message": .string(text)]]).jsonText.utf8))
    response.headers["Retry-After"] = fault.delay.map { FaultDelay($0).seconds }
    return response
  }

  /// The request with another token, if it has one.
  private func with(_ token: String?) -> HTTPRequest {
    var other = request
    if let token, request.headers["Authorization"] != nil { other.headers["Authorization"] = "Bearer \(token)" }
    return other
  }

  /// A list whose next page is itself.
  private func looped(_ response: HTTPResponse) -> HTTPResponse {
    guard var object = (try? JSONValue(parsing: response.body))?.objectValue, object["value"]?.arrayValue != nil else {
      return response
    }
    object["@odata.nextLink"] = .string(settings.origin + request.url)
    var looped = response
    looped.headers["ETag"] = nil
    looped.body = Array(object.jsonText.utf8)
    return looped
  }

  /// As Entra's resources ask for a token that claims more: the claims are base64 of JSON.
  private func challenged(_ response: HTTPResponse) -> HTTPResponse {
    guard response.status == 401 else { return response }
    let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
    var response = response
    response.headers["WWW-Authenticate"] =
      "Bearer realm=\"\", authorization_uri=\"\(settings.origin)/common/oauth2/v2.0/authorize\", "
      + "error=\"insufficient_claims\", claims=\"\(Base64Bytes(Array(claims.utf8)).text)\""
    return response
  }
}
