import BridgeAPI
import JSON
import JSONRPC
import MAM

/// What answers one method.
protocol MethodEntry: Sendable {
  /// As `MethodHandler.call`.
  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work?
}

struct ImmediateMethod<M: Method>: MethodEntry {
  typealias Body = @Sendable (M.Params, BridgeConnection) throws(RPCError) -> M.Result
  let body: Body

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    try body(M.params(from: node), connection).encode(to: &writer)
    return nil
  }
}

/// `Arrived` is what of a call is settled when it comes, whenever it is answered: whatever the connection is told
/// meanwhile changes nothing of it.
struct MemoryMethod<M: Method, Arrived: Sendable>: MethodEntry {
  typealias Arrival = @Sendable (M.Params, BridgeConnection) throws(MAMError) -> Arrived
  typealias Body = @Sendable (Arrived, CoreState) throws(MAMError) -> M.Result
  let arrival: Arrival
  let body: Body

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let arrived = try arrive(M.params(from: node), connection)
    let core = connection.core
    guard let state = core.currentState else { return refreshing(core, arrived) }
    try answer(arrived, state).encode(to: &writer)
    return nil
  }

  /// The first call, and the first after a change by another process, have to read the disk.
  private func refreshing(_ core: Core, _ arrived: Arrived) -> Work {
    Work { () async throws(RPCError) in
      do throws(MAMError) {
        try core.refresh()
      } catch {
        throw RPCError(error)
      }
      return try answer(arrived, core.state).jsonBytes
    }
  }

  private func arrive(_ params: M.Params, _ connection: BridgeConnection) throws(RPCError) -> Arrived {
    do throws(MAMError) {
      return try arrival(params, connection)
    } catch {
      throw RPCError(error)
    }
  }

  private func answer(_ arrived: Arrived, _ state: CoreState) throws(RPCError) -> M.Result {
    do throws(MAMError) {
      return try body(arrived, state)
    } catch {
      throw RPCError(error)
    }
  }
}

/// `Arrived` as in `MemoryMethod`.
struct WorkMethod<M: Method, Arrived: Sendable>: MethodEntry {
  typealias Arrival = @Sendable (M.Params, BridgeConnection) -> Arrived
  typealias Body = @Sendable (Arrived, Core, BridgeConnection) async throws(MAMError) -> M.Result
  let queue: @Sendable (M.Params) -> String?
  let arrival: Arrival
  let body: Body

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try M.params(from: node)
    let arrived = arrival(params, connection)
    return Work(queue: queue(params)) { () async throws(RPCError) in
      do throws(MAMError) {
        return try await run(arrived, on: connection).jsonBytes
      } catch {
        throw RPCError(error)
      }
    }
  }

  /// What the core asks meanwhile is asked for this connection.
  private func run(_ arrived: Arrived, on connection: BridgeConnection) async throws(MAMError) -> M.Result {
    let outcome = await BridgeConnection.$current.withValue(connection) { () async -> Result<M.Result, MAMError> in
      do throws(MAMError) {
        return .success(try await body(arrived, connection.core, connection))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}

extension Method {
  /// By name, by position, or none at all.
  static func params(from node: JSONNode?) throws(RPCError) -> Params {
    do throws(JSONDecodingError) {
      guard let node else { return try Params.fields.decodeNothing() }
      guard node.elementCount == nil else { return try Params.fields.decode(elements: node) }
      return try Params.fields.decode(members: node, ignoring: reservedParamName)
    } catch {
      throw RPCError(error)
    }
  }
}

extension FieldValue {
  var jsonBytes: [UInt8] {
    var writer = JSONWriter()
    encode(to: &writer)
    return writer.bytes
  }
}
