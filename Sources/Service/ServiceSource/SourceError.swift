import JSON
import JSONRPC
import SourceProtocol

/// Why a policy source cannot do what mambridge asks, with a code of its protocol.
package struct SourceError: Error, Hashable, Sendable {
  package typealias Code = SourceErrorCode

  package let code: Code
  /// A sentence with the cause and the way out. Holds no token and no secret.
  package let message: String
  /// How long not to ask again.
  package var retryAfter: Duration?
  /// What the next token must claim, as JSON, if a provider said so.
  package var claims: String?
  /// What the service says about a hold of wipes, as it wrote it; `nil` if it says nothing.
  package var hold: JSONValue?

  package init(_ code: Code, _ message: String, retryAfter: Duration? = nil, claims: String? = nil) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
    self.claims = claims
  }

  /// As the reply of a request.
  package var rpcError: RPCError {
    let data = SourceErrorData(retryAfter: retryAfter?.inSeconds, claims: claims, hold: hold.map { AsWritten($0) })
    return RPCError(
      code: code.rawValue, name: code.name, message: message, isRetryable: code == .unreachable,
      details: data.jsonValue.objectValue ?? [:])
  }
}

extension Duration {
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
