import HTTP
import JSON

/// Why Graph did not do what was asked.
package struct GraphFailure: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// There is no token, or Graph refuses the token.
    case signIn
    /// A permission is missing.
    case forbidden
    case notFound
    /// Graph has answered with another error.
    case refused
    /// Graph cannot be reached, is too busy, or its answers are cut off. The same call may succeed later.
    case unavailable
    /// The answer is not what Graph would say: too much, a link to elsewhere, or no JSON.
    case unusable
  }

  package let kind: Kind
  /// A sentence that names the cause and, if there is one, the way out. Holds no token.
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}

/// The error object of Graph. The message of Intune is often a JSON text with the message in it.
package struct GraphErrorBody: Hashable, Sendable {
  private static let longestMessage = 500

  package let code: String
  package let message: String
  /// Names the request at Microsoft's support.
  package let requestId: String?
  /// In seconds, from Intune's inner message.
  package let retryAfter: Double?

  /// `nil` if the body is no error object.
  package init?(_ body: [UInt8]) {
    guard let value = try? JSONValue(parsing: body), let error = value["error"], error.objectValue != nil else {
      return nil
    }
    let text = error["message"]?.stringValue ?? ""
    let inner = text.hasPrefix("{") ? try? JSONValue(parsing: text) : nil
    code = (error["code"]?.stringValue ?? "").shown(atMost: 100)
    message = (inner?["Message"]?.stringValue ?? text).shown(atMost: Self.longestMessage)
    let details = error["innerError"] ?? error["innererror"]
    requestId = details?["request-id"]?.stringValue?.shown(atMost: 100)
    retryAfter = inner?["RetryAfter"].flatMap { $0.numberValue ?? $0.stringValue.flatMap(Double.init) }
  }

  package var text: String {
    let parts = [code, message].filter { !$0.isEmpty }.joined(separator: ": ")
    return (parts.isEmpty ? "no reason" : parts) + (requestId.map { " (request \($0))" } ?? "")
  }
}
