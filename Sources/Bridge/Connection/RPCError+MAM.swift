import JSON
import JSONRPC
import MAM
import Model

extension RPCError {
  /// `language` is that of the user; nil for an error that nobody but the host is told of.
  init(_ error: MAMError, in language: Language? = nil) {
    var details = JSONObject()
    if let path = error.path { details["path"] = .string(path) }
    if let hint = error.hint { details["hint"] = .string(hint) }
    if let fault = error.fault {
      if let number = fault.number { details["errno"] = .integer(Int64(number)) }
      if let page = fault.page { details["page"] = .integer(Int64(clamping: page)) }
      if let range = fault.range {
        details["range"] = [.integer(Int64(clamping: range.lowerBound)), .integer(Int64(clamping: range.upperBound))]
      }
    }
    if let key = error.messageKey { details["messageKey"] = .string(key) }
    if let text = language.flatMap(error.userMessage) { details["userMessage"] = .string(text) }
    if let challenge = error.challenge { details["challenge"] = challenge.jsonValue }
    if !error.failures.isEmpty { details["failures"] = error.failures.listed }
    if let error = SDKError(wireCode: error.code.rawValue) {
      details["domain"] = .string(error.domain)
      details["sdkCode"] = .integer(Int64(error.code))
    }
    self.init(
      code: error.code.rawValue, name: String(describing: error.code), message: error.message,
      isRetryable: error.isRetryable, details: details)
  }
}

extension [FileFailure] {
  /// The first hundred: a folder may hold more than a reply.
  fileprivate var listed: JSONValue {
    .array(
      prefix(100).map { failure in
        [
          "path": .string(failure.path), "code": .integer(Int64(failure.code.rawValue)),
          "name": .string(String(describing: failure.code)), "message": .string(failure.message),
        ]
      })
  }
}
