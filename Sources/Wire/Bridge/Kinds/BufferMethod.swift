import JSON
import JSONRPC
import MAM
import Model
import Support
import Vault

/// A method that protects or opens bytes. Short bytes whose keys are in memory are answered at once, because waking
/// another thread takes a hundred times as long. Otherwise it is work, which may wait for the disk.
protocol BufferMethod: Method {
  /// Never `nil` if the disk is within reach.
  static func answer(
    _ params: Params, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> Result?
}

extension BufferMethod {
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try params(from: node)
    if let result = try atOnce(on: connection, { () throws(MAMError) in try answer(params, on: connection, .memory) }) {
      result.encode(to: &writer)
      return nil
    }
    return work(on: connection) { () async throws(MAMError) in
      try answer(params, on: connection, .disk).reached()
    }
  }
}

extension Method {
  /// Runs `body` on the reading thread in the language and at the level of the host.
  static func atOnce<Value>(
    on connection: BridgeConnection, _ body: () throws(MAMError) -> Value?
  ) throws(RPCError) -> Value? {
    let outcome = CallContext.$current.withValue(connection.contextOfInstantCalls) {
      Swift.Result { () throws(MAMError) in try body() }
    }
    do throws(MAMError) {
      return try outcome.get()
    } catch {
      throw RPCError(error, in: connection.language)
    }
  }
}

extension Optional {
  /// The answer that is there because the disk was within reach.
  func reached() throws(MAMError) -> Wrapped {
    guard let self else { throw MAMError(.internalError, "the disk gave no answer") }
    return self
  }
}
