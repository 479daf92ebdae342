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
    return try MemoryAnswer(arrived: arrived, body: body).give(connection.core, into: &writer)
  }

  private func arrive(_ params: M.Params, _ connection: BridgeConnection) throws(RPCError) -> Arrived {
    do throws(MAMError) {
      return try arrival(params, connection)
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
    let answer = WorkAnswer(arrived: arrival(params, connection), body: body)
    return answer.give(connection, queue: queue(params))
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
