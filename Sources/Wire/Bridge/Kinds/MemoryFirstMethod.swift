import JSON
import JSONRPC
import MAM
import Model
import Vault

/// A method that is answered from memory at once if it can be, because waking another thread takes a hundred times as
/// long. Otherwise it is work, which waits for the disk: at the first call, after another process has changed the state,
/// and for keys that are not in memory. Waits for nothing else, and asks nobody.
protocol MemoryFirstMethod: Method {
  /// What is captured when a call arrives. Nothing that the connection is told before the answer changes it.
  associatedtype Captured: Sendable

  /// Runs on the reading thread, before any later call.
  static func capture(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Captured
  /// Runs on the reading thread with the reach `memory`, and then, if it needs the disk, elsewhere with the reach `disk`.
  static func answer(
    _ arrived: Captured, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Result>
}

extension MemoryFirstMethod {
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try params(from: node)
    let arrived = try raising { () throws(MAMError) in try capture(params, on: connection) }
    let found = try raising { () throws(MAMError) in try answer(arrived, on: connection, .memory) }
    guard case .now(let result) = found else {
      return Work { () async throws(RPCError) in
        try raising { () throws(MAMError) in try answer(arrived, on: connection, .disk).get().jsonBytes }
      }
    }
    result.encode(to: &writer)
    return nil
  }
}

/// A method that only reads the state.
protocol StateMethod: MemoryFirstMethod {
  associatedtype Captured = Params

  static func answer(_ arrived: Captured, _ state: CoreState) throws(MAMError) -> Result
}

extension StateMethod {
  static func answer(
    _ arrived: Captured, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Result> {
    guard case .now(let state) = try connection.core.state(within: reach) else { return .needsDisk }
    return .now(try answer(arrived, state))
  }
}

extension StateMethod where Captured == Params {
  static func capture(_ params: Params, on connection: BridgeConnection) -> Params { params }
}

extension StateMethod where Params: Targeted, Captured == Addressed<Params> {
  static func capture(_ params: Params, on connection: BridgeConnection) -> Addressed<Params> {
    Addressed(params, on: connection)
  }
}
