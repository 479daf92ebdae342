import BridgeAPI
import JSON
import JSONRPC
import MAM

/// The methods by name, each with what answers it.
struct MethodTable: Sendable {
  typealias Handler = @Sendable (JSONNode?, BridgeConnection, inout JSONWriter) throws(RPCError) -> Work?

  private var handlers: [String: Handler] = [:]

  subscript(name: String) -> Handler? { handlers[name] }

  var names: Set<String> { Set(handlers.keys) }

  /// A method that needs nothing of the core: answered at once.
  mutating func immediate<M: Method>(
    _ method: M.Type, _ body: @escaping @Sendable (M.Params, BridgeConnection) throws(RPCError) -> M.Result
  ) {
    handlers[M.name] = { node, connection, writer throws(RPCError) in
      try body(M.params(from: node), connection).encode(to: &writer)
      return nil
    }
  }

  /// A method that only reads what the core holds in memory: answered at once when that is up to date.
  mutating func memory<M: Method>(
    _ method: M.Type, _ body: @escaping @Sendable (M.Params, Core, BridgeConnection) throws(MAMError) -> M.Result
  ) {
    handlers[M.name] = { node, connection, writer throws(RPCError) in
      let params = try M.params(from: node)
      let core = connection.core
      guard core.isCurrent else {
        return Work { () throws(RPCError) in
          try encodedResult { () throws(MAMError) in
            try core.refresh()
            return try body(params, core, connection)
          }
        }
      }
      try rethrowingAsRPC { () throws(MAMError) in try body(params, core, connection) }.encode(to: &writer)
      return nil
    }
  }

  /// A method that may wait for a disk or for somebody.
  mutating func work<M: Method>(
    _ method: M.Type,
    _ body: @escaping @Sendable (M.Params, Core, BridgeConnection) async throws(MAMError) -> M.Result
  ) {
    handlers[M.name] = { node, connection, _ throws(RPCError) in
      let params = try M.params(from: node)
      let core = connection.core
      return Work { () async throws(RPCError) in
        do throws(MAMError) {
          try core.refresh()
          return encoded(try await body(params, core, connection))
        } catch {
          throw RPCError(error)
        }
      }
    }
  }
}

extension Method {
  /// By name, by position, or none at all.
  static func params(from node: JSONNode?) throws(RPCError) -> Params {
    do throws(JSONDecodingError) {
      guard let node else { return try Params.fields.decodeNothing() }
      guard node.elementCount == nil else { return try Params.fields.decode(elements: node) }
      return try Params.fields.decode(members: node, ignoring: nil)
    } catch {
      throw RPCError(error)
    }
  }
}

private func encodedResult<Value: FieldValue>(
  _ body: () throws(MAMError) -> Value
) throws(RPCError) -> [UInt8] {
  encoded(try rethrowingAsRPC(body))
}

private func rethrowingAsRPC<Value>(_ body: () throws(MAMError) -> Value) throws(RPCError) -> Value {
  do throws(MAMError) {
    return try body()
  } catch {
    throw RPCError(error)
  }
}

private func encoded(_ value: some FieldValue) -> [UInt8] {
  var writer = JSONWriter()
  value.encode(to: &writer)
  return writer.bytes
}
