import JSON
import JSONRPC
import MAM
import Model

/// A request on the wire, from a host or to a host: its name, types, errors and documentation in one place.
package protocol Request: Sendable {
  associatedtype Params: Record
  associatedtype Result: FieldValue

  static var name: String { get }
  /// What the request does, in one line.
  static var summary: String { get }
  /// Edge cases, commit point and units; empty if the summary says everything.
  static var details: String { get }
  static var resultSummary: String { get }
  /// The errors of this request alone, apart from invalid params and the errors of the state folder.
  static var errors: [ErrorCode] { get }
  /// Every error that the request can end with, apart from the errors of the transport.
  static var allErrors: [ErrorCode] { get }
  static var example: Example<Params, Result> { get }
  /// The SDK members that this request stands for, as "Class member".
  static var sdkMembers: [String] { get }
}

extension Request {
  static var details: String { "" }
  static var errors: [ErrorCode] { [] }
  static var allErrors: [ErrorCode] { errors }
  static var sdkMembers: [String] { [] }
}

/// An example call and its answer, for the schema.
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

/// A request that the server answers. One type holds everything about it; a type without an answer does not compile.
///
/// There are three kinds of method, each with its `call`: `ImmediateMethod`, `MemoryFirstMethod` and `WorkMethod`.
/// `ExplainableMethod` is an addition to any of them. The other protocols of methods refine these, and none has a `call`
/// of its own.
package protocol Method: Request {
  /// Whether the method can end with an error of the state folder.
  static var usesStore: Bool { get }

  /// See `MethodHandler.call`.
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work?
}

extension Method {
  static var usesStore: Bool { true }
  /// Even a method without parameters can raise invalid params.
  static var allErrors: [ErrorCode] {
    [.invalidParams] + errors + (usesStore ? .store : []) + (hasStrictChecks ? [.strictViolation] : [])
  }

  /// Decodes params that are given by name, by position or not at all.
  static func params(from node: JSONNode?) throws(RPCError) -> Params {
    do throws(JSONDecodingError) {
      return try Params.decode(params: node, ignoring: reservedParamName)
    } catch {
      throw RPCError(error)
    }
  }

  /// Runs `body`, and passes an error of the core on to the host.
  static func raising<Value>(_ body: () throws(MAMError) -> Value) throws(RPCError) -> Value {
    do throws(MAMError) {
      return try body()
    } catch {
      throw RPCError(error)
    }
  }
}

/// A method that reads nothing from the core's state. It is answered at once, on the reading thread.
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
