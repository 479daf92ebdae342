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

struct MemoryMethod<M: Method>: MethodEntry {
  typealias Body = @Sendable (M.Params, CoreState) throws(MAMError) -> M.Result
  let body: Body

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try M.params(from: node)
    let core = connection.core
    guard let state = core.currentState else { return refreshing(core, params) }
    try answer(params, state).encode(to: &writer)
    return nil
  }

  /// The first call, and the first after a change by another process, have to read the disk.
  private func refreshing(_ core: Core, _ params: M.Params) -> Work {
    Work { () async throws(RPCError) in
      do throws(MAMError) {
        try core.refresh()
      } catch {
        throw RPCError(error)
      }
      return try answer(params, core.state).jsonBytes
    }
  }

  private func answer(_ params: M.Params, _ state: CoreState) throws(RPCError) -> M.Result {
    do throws(MAMError) {
      return try body(params, state)
    } catch {
      throw RPCError(error)
    }
  }
}

struct WorkMethod<M: Method>: MethodEntry {
  typealias Body = @Sendable (M.Params, Core, BridgeConnection) async throws(MAMError) -> M.Result
  let queue: @Sendable (M.Params) -> String?
  let body: Body

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try M.params(from: node)
    return Work(queue: queue(params)) { () async throws(RPCError) in
      do throws(MAMError) {
        return try await run(params, on: connection).jsonBytes
      } catch {
        throw RPCError(error)
      }
    }
  }
}

extension WorkMethod {
  /// What the core asks meanwhile is asked for this connection.
  private func run(_ params: M.Params, on connection: BridgeConnection) async throws(MAMError) -> M.Result {
    let outcome = await BridgeConnection.$current.withValue(connection) { () async -> Result<M.Result, MAMError> in
      do throws(MAMError) {
        return .success(try await body(params, connection.core, connection))
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
