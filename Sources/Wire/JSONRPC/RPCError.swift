import JSON

/// The error in a reply.
package struct RPCError: Error, Equatable, Sendable {
  package let code: Int
  /// A stable symbol for programs.
  package let name: String
  /// One line for people. Contains no key, PIN, token or protected data.
  package let message: String
  /// Whether the same request may succeed later without a change by the host.
  package let isRetryable: Bool
  /// Further members of `data`: path, hint, domain, sdkCode, limit, value.
  package var details: JSONObject

  package init(
    code: Int, name: String, message: String, isRetryable: Bool = false, details: JSONObject = [:]
  ) {
    self.code = code
    self.name = name
    self.message = message
    self.isRetryable = isRetryable
    self.details = details
  }

  package init(_ code: RPCErrorCode, _ message: String? = nil, details: JSONObject = [:]) {
    self.init(
      code: code.rawValue, name: code.name, message: message ?? code.message, isRetryable: code.isRetryable,
      details: details)
  }

  /// The system has no memory for the message or its reply.
  package static let outOfMemory = RPCError(
    code: RPCErrorCode.internalError.rawValue, name: "outOfMemory",
    message: "the system is out of memory for this request; request less at a time, or try again", isRetryable: true)

  /// The params do not match their declaration.
  package init(_ error: JSONDecodingError) {
    if error.reason == .outOfMemory {
      self = .outOfMemory
      return
    }
    self.init(.invalidParams, error.message, details: ["path": .string(error.path)])
  }

  package func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("code", code)
    writer.member("message", message)
    writer.name("data")
    writer.beginObject()
    writer.member("name", name)
    writer.member("retryable", isRetryable)
    for member in details.members { writer.member(member.name, member.value) }
    writer.endObject()
    writer.endObject()
  }
}

/// The error codes of the protocol. Those of the domains belong to the methods.
package enum RPCErrorCode: Int, CaseIterable, Error {
  case parseError = -32700
  case invalidRequest = -32600
  case methodNotFound = -32601
  case invalidParams = -32602
  case internalError = -32603
  case notAuthenticated = -32001
  case shuttingDown = -32002
  case deadlineExceeded = -32003
  case limitExceeded = -32004
  case cancelled = -32800

  /// The stable symbol for `data.name`.
  package var name: String { String(describing: self) }

  /// Whether the same request may succeed later. For `limitExceeded`, this depends on the limit:
  /// `LimitName.isRetryable`.
  package var isRetryable: Bool {
    switch self {
    case .shuttingDown, .deadlineExceeded: true
    case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .notAuthenticated,
      .limitExceeded, .cancelled:
      false
    }
  }

  /// One line for people. A reply may be more specific.
  package var message: String {
    switch self {
    case .parseError: "Parse error"
    case .invalidRequest: "Invalid Request"
    case .methodNotFound: "Method not found"
    case .invalidParams: "Invalid params"
    case .internalError: "Internal error"
    case .notAuthenticated: "Not authenticated"
    case .shuttingDown: "The server is shutting down"
    case .deadlineExceeded: "The deadline has passed"
    case .limitExceeded: "A limit was passed"
    case .cancelled: "Cancelled"
    }
  }
}
