import JSON
import JSONRPC
import MAM
import Model

/// One request of the wire, by a host or to one: name, types, errors and documentation in one place.
package protocol Request: Sendable {
  associatedtype Params: Record
  associatedtype Result: FieldValue

  static var name: String { get }
  /// One line.
  static var summary: String { get }
  /// Edges, commit point, units; empty where the summary says all.
  static var details: String { get }
  static var resultSummary: String { get }
  /// Its own.
  static var errors: [ErrorCode] { get }
  /// What it can end with, beside the transport's errors.
  static var allErrors: [ErrorCode] { get }
  static var example: Example<Params, Result> { get }
  /// The members of the SDK this stands for, as "Class member".
  static var sdkMembers: [String] { get }
}

extension Request {
  static var details: String { "" }
  static var errors: [ErrorCode] { [] }
  static var allErrors: [ErrorCode] { errors }
  static var sdkMembers: [String] { [] }
}

/// A call and its answer, for the schema.
package struct Example<Params: Record, Result: FieldValue>: Sendable {
  let params: Params
  let result: Result

  init(_ params: Params, _ result: Result) {
    self.params = params
    self.result = result
  }
}

extension Example where Params == NoParameters {
  init(_ result: Result) {
    self.init(NoParameters(), result)
  }
}

/// A request that the server answers. One type holds all of it: without its answer it does not compile.
///
/// `call` comes with the kind of method: `ImmediateMethod`, `MemoryMethod`, `Question` or `WorkMethod`.
package protocol Method: Request {
  /// Whether it can end with an error of the state folder.
  static var usesStore: Bool { get }

  /// As `MethodHandler.call`.
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work?
}

extension Method {
  static var usesStore: Bool { true }
  /// Wrong parameters are refused by a method without any too.
  static var allErrors: [ErrorCode] { [.invalidParams] + errors + (usesStore ? .store : []) }

  /// By name, by position, or none at all.
  static func params(from node: JSONNode?) throws(RPCError) -> Params {
    do throws(JSONDecodingError) {
      return try Params.decode(params: node, ignoring: reservedParamName)
    } catch {
      throw RPCError(error)
    }
  }

  /// Passes an error of the core on to the host.
  static func raising<Value>(_ body: () throws(MAMError) -> Value) throws(RPCError) -> Value {
    do throws(MAMError) {
      return try body()
    } catch {
      throw RPCError(error)
    }
  }
}

/// A method that needs nothing of the core's state: answered at once, on the reading thread.
protocol ImmediateMethod: Method {
  static func answer(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> Result
}

extension ImmediateMethod {
  static var usesStore: Bool { false }

  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    try answer(params(from: node), on: connection).encode(to: &writer)
    return nil
  }
}
