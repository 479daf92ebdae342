import JSON
import JSONRPC
import MAM
import Model

/// A method that only reads what the core holds in memory. It is answered at once if that memory is up to date.
protocol MemoryMethod: Method {
  /// What is fixed when a call arrives. Nothing that the connection is told before the answer changes it.
  associatedtype Arrived: Sendable = Params

  /// Runs on the reading thread, before any later call.
  static func arrive(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Arrived
  static func answer(_ arrived: Arrived, _ state: CoreState) throws(MAMError) -> Result
}

extension MemoryMethod {
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try params(from: node)
    let arrived = try raising { () throws(MAMError) in try arrive(params, on: connection) }
    guard let state = connection.core.currentState else {
      return refreshing(connection.core) { state throws(MAMError) in try answer(arrived, state) }
    }
    try raising { () throws(MAMError) in try answer(arrived, state) }.encode(to: &writer)
    return nil
  }
}

extension MemoryMethod where Arrived == Params {
  static func arrive(_ params: Params, on connection: BridgeConnection) -> Params { params }
}

extension MemoryMethod where Params: Targeted, Arrived == Asked<Params> {
  static func arrive(_ params: Params, on connection: BridgeConnection) -> Asked<Params> {
    Asked(params, on: connection)
  }
}

extension Method {
  /// Reads the disk before it answers. Needed by the first call, and by the first call after another process changed
  /// the state.
  static func refreshing<Value: FieldValue>(
    _ core: Core, _ answer: @escaping @Sendable (CoreState) throws(MAMError) -> Value
  ) -> Work {
    Work { () async throws(RPCError) in
      try raising { () throws(MAMError) in
        try core.refresh()
        return try answer(core.state).jsonBytes
      }
    }
  }
}
