import HTTP
import JSON
import Model

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
  /// The error object of Graph; `nil` if the answer has none.
  package let body: GraphErrorBody?

  package init(_ kind: Kind, _ text: String, _ body: GraphErrorBody? = nil) {
    (self.kind, self.text, self.body) = (kind, text, body)
  }
}

extension GraphFailure {
  /// Whether Graph says that the directory has no object with this id. Any other 404 is about something else, such as
  /// the path, or comes from something between here and Graph.
  func deniesDirectoryObject(_ id: String) -> Bool {
    guard kind == .notFound, let body, body.code.lowercasedASCII == "request_resourcenotfound" else { return false }
    let named = body.message.lowercasedASCII.split { !$0.isHexDigit && $0 != "-" }.map(String.init).filter(\.isGUID)
    return named.isEmpty || named.contains(id.lowercasedASCII)
  }

  /// Whether Intune says that it has no such object. Its message need not name the object.
  var deniesIntuneObject: Bool { kind == .notFound && body?.code.lowercasedASCII == "resourcenotfound" }

  /// The failure to learn whether an object exists that a list of Graph left out.
  func undecided(_ object: String) -> GraphFailure {
    let sentence = text.hasSuffix(".") ? text : text + "."
    return GraphFailure(
      kind, "\(sentence) So nobody knows whether \(object) exists. Nothing was changed.", body)
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
