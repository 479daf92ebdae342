import HTTP
import JSON
import SourceProtocol

/// A refusal, in the shape of everything below `/mam`.
struct Problem: Error, Hashable, Sendable {
  enum Code: String, CaseIterable, Sendable {
    case badRequest, unauthorized, forbidden, notFound, methodNotAllowed, timeout, tooLarge, unsupportedMediaType,
      tooManyRequests, failed, unavailable

    var status: Int {
      switch self {
      case .badRequest: 400
      case .unauthorized: 401
      case .forbidden: 403
      case .notFound: 404
      case .methodNotAllowed: 405
      case .timeout: 408
      case .tooLarge: 413
      case .unsupportedMediaType: 415
      case .tooManyRequests: 429
      case .failed: 500
      case .unavailable: 503
      }
    }
  }

  let code: Code
  /// For the reader of the response. Holds nothing that the sender of the request need not know.
  let message: String
  /// WWW-Authenticate, Allow or Retry-After.
  private(set) var headers = HTTPHeaders()
  /// What the answer to a check-in would say about a hold of wipes; `nil` if that is not for the sender of the request.
  private var hold: JSONValue?

  init(_ code: Code, _ message: String) {
    (self.code, self.message) = (code, message)
  }

  /// `scheme` is what to authenticate with.
  static func unauthorized(_ scheme: String) -> Problem {
    var problem = Problem(.unauthorized, "authentication is needed")
    problem.headers = HTTPHeaders(["WWW-Authenticate": scheme])
    return problem
  }

  /// `limit` is in bytes.
  static func tooLarge(limit: Int) -> Problem { Problem(.tooLarge, "the body has more than \(limit) bytes") }

  static var encodedBody: Problem {
    var problem = Problem(.unsupportedMediaType, "the body must not be compressed; send it without Content-Encoding")
    problem.headers = HTTPHeaders(["Accept-Encoding": "identity"])
    return problem
  }

  static func methodNotAllowed(_ methods: [String]) -> Problem {
    var problem = Problem(.methodNotAllowed, "use \(methods.joined(separator: " or "))")
    problem.headers = HTTPHeaders(["Allow": methods.joined(separator: ", ")])
    return problem
  }

  static func tooMany(retryAfter: Duration) -> Problem {
    var problem = Problem(.tooManyRequests, "too many requests; wait as long as Retry-After says")
    problem.headers = HTTPHeaders(["Retry-After": retryAfter.wholeSeconds])
    return problem
  }

  static func unavailable(_ message: String, retryAfter: Duration) -> Problem {
    var problem = Problem(.unavailable, message)
    problem.headers = HTTPHeaders(["Retry-After": retryAfter.wholeSeconds])
    return problem
  }

  /// The refusal of a check-in, which says as well whether wipes are on hold: `hold` is as in an answer.
  func saying(hold: JSONValue) -> Problem {
    var problem = self
    problem.hold = hold
    return problem
  }

  var response: HTTPResponse {
    var body: JSONObject = ["error": ["code": .string(code.rawValue), "message": .string(message)]]
    if let hold { body[SourceAnswer.hold.name] = hold }
    var response = HTTPResponse(code.status, json: Array(body.jsonText.utf8))
    for field in headers.fields { response.headers[field.name] = field.value }
    return response
  }
}

extension HTTPResponse {
  package init(_ status: Int, json body: [UInt8]) {
    self.init(
      status, headers: HTTPHeaders(["Content-Type": "application/json", "Cache-Control": "no-store"]), body: body)
  }
}

extension Duration {
  /// At least 1, rounded up.
  package var wholeSeconds: String {
    let (seconds, rest) = components
    return String(max(1, rest > 0 ? seconds + 1 : seconds))
  }
}
