import HTTP
import JSON
import Support

/// A refusal in the form of Microsoft Graph.
package struct GraphError: Error, Hashable, Sendable {
  package var status: Int
  /// A word for programs, such as `itemNotFound`.
  package var code: String
  /// A sentence for administrators.
  package var message: String
  package var headers: HTTPHeaders
  /// Whether the message is written as Intune itself does: as a JSON text that has the sentence in it.
  var isNested = false

  package init(_ status: Int, _ code: String, _ message: String, headers: HTTPHeaders = HTTPHeaders()) {
    (self.status, self.code, self.message, self.headers) = (status, code, message, headers)
  }

  /// The router's refusal of a request that came to no resource.
  init(_ problem: Problem) {
    let code: String =
      switch problem.code {
      case .badRequest: "BadRequest"
      case .unauthorized: "InvalidAuthenticationToken"
      case .forbidden: "Forbidden"
      case .notFound: "ResourceNotFound"
      case .methodNotAllowed: "MethodNotAllowed"
      case .timeout: "RequestTimeout"
      case .tooLarge: "RequestEntityTooLarge"
      case .unsupportedMediaType: "UnsupportedMediaType"
      case .tooManyRequests: "TooManyRequests"
      case .failed: "InternalServerError"
      case .unavailable: "ServiceUnavailable"
      }
    let message = problem.message.prefix(1).uppercased() + problem.message.dropFirst() + "."
    self.init(problem.code.status, code, message, headers: problem.headers)
  }

  static let failed = GraphError(500, "InternalServerError", "The service failed. Its log has the reason.")

  package static func badRequest(_ message: String) -> GraphError { GraphError(400, "BadRequest", message) }

  package static func notFound(_ message: String) -> GraphError { GraphError(404, "ResourceNotFound", message) }

  /// Says nothing about the reason, so that nobody learns from it how tokens are checked.
  package static let unauthenticated = GraphError(
    401, "InvalidAuthenticationToken", "A valid access token of an administrator is needed.",
    headers: HTTPHeaders(["WWW-Authenticate": "Bearer"]))

  package static func notAllowed(_ allowed: String) -> GraphError {
    GraphError(
      405, "MethodNotAllowed", "The tenant is read-only here. Change its folder, or the tenant in Microsoft Graph.",
      headers: HTTPHeaders(["Allow": allowed]))
  }

  static func otherMethod(_ allowed: String) -> GraphError {
    GraphError(
      405, "MethodNotAllowed", "The resource is there, but not for this method. Use \(allowed).",
      headers: HTTPHeaders(["Allow": allowed]))
  }

  package static func unavailable(after wait: Duration) -> GraphError {
    GraphError(
      503, "ServiceUnavailable", "The service cannot answer now. Try again in \(wait.wholeSeconds) s.",
      headers: HTTPHeaders(["Retry-After": wait.wholeSeconds]))
  }

  /// The response, with the ids by which administrators and this service's log name the request in the error object.
  package func response(to request: HTTPRequest, id: String, at now: Timestamp) -> HTTPResponse {
    var inner: JSONObject = ["date": .string(String(now.description.prefix(19))), "request-id": .string(id)]
    inner["client-request-id"] = .string(request.clientRequestID ?? id)
    if code == "ModelValidationFailure" { inner["message"] = .string(message) }
    let message = isNested ? nestedMessage(request, id) : message
    let body: JSONValue = [
      "error": ["code": .string(code), "message": .string(message), "innerError": .object(inner)]
    ]
    var response = HTTPResponse(status, headers: headers, body: Array(body.jsonText.utf8))
    response.headers["Content-Type"] = "application/json"
    return response
  }

  private func nestedMessage(_ request: HTTPRequest, _ id: String) -> String {
    let text =
      "\(message) - Operation ID (for customer support): 00000000-0000-0000-0000-000000000000 - Activity ID: \(id) - Url: "
      + request.url.prefix { $0 != "?" }
    let content: JSONValue = [
      "_version": 3, "Message": .string(text), "CustomApiErrorPhrase": "", "RetryAfter": .null,
      "ErrorSourceService": "", "HttpHeaders": "{}",
    ]
    return content.jsonText
  }
}

extension String {
  /// Whether the text is not empty, short, and of visible ASCII alone.
  package func isPrintable(atMost limit: Int) -> Bool {
    (1...limit).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
