import JSON
import JSONRPC
import MAM
import Model

extension RPCError {
  init(_ error: MAMError) {
    var details = JSONObject()
    if let path = error.path { details["path"] = .string(path) }
    if let hint = error.hint { details["hint"] = .string(hint) }
    if let status = DataProtectionStatusCode(sdkValue: error.code.rawValue - 1000) {
      details["domain"] = "IntuneMAMDataProtectionErrorDomain"
      details["sdkCode"] = .integer(Int64(status.sdkValue))
    }
    self.init(
      code: error.code.rawValue, name: String(describing: error.code), message: error.message,
      isRetryable: error.isRetryable, details: details)
  }
}
