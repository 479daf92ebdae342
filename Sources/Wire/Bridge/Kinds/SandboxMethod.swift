import JSON
import JSONRPC
import MAM
import Model

/// A method of the namespace `sandbox`: what a test does to its tenant and its state. Only a server of a sandbox has it.
protocol SandboxMethod: Method {
  /// See `WorkMethod`.
  static func queue(_ params: Params) -> String?
  static func isWaiting(_ params: Params) -> Bool
  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Result
}

extension SandboxMethod {
  static func queue(_ params: Params) -> String? { Queue.enrollment }
  static func isWaiting(_ params: Params) -> Bool { false }

  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    guard let sandbox = connection.bridge.sandbox else { throw RPCError(.methodNotFound, "no such method") }
    let params = try params(from: node)
    return work(queue: queue(params), isWaiting: isWaiting(params), on: connection) { () async throws(MAMError) in
      try await answer(params, in: sandbox, on: connection)
    }
  }
}

/// A method that changes the tenant of a sandbox, so that a network reads it again.
protocol TenantChangingMethod: SandboxMethod {}

extension TenantChangingMethod {
  static var errors: [ErrorCode] { [.networkFailed] }
}
