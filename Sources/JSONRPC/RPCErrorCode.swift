/// The error codes of the wire itself; those of the domains belong to the methods.
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

  /// Whether the same request may succeed later. For `limitExceeded` the limit decides: `LimitName.isRetryable`.
  package var isRetryable: Bool {
    switch self {
    case .shuttingDown, .deadlineExceeded: true
    case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .notAuthenticated,
      .limitExceeded, .cancelled:
      false
    }
  }

  /// One line for people; a reply may say it more closely.
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
