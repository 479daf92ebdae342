import JSON
import JSONRPC
import MAM
import Model

/// A method that may wait for the disk, the policy source or a host.
protocol WorkMethod: Method {
  /// See `MemoryFirstMethod.Captured`.
  associatedtype Captured: Sendable = Params

  /// Runs on the reading thread, before any later call.
  static func capture(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> Captured
  static func answer(_ arrived: Captured, on connection: BridgeConnection) async throws(MAMError) -> Result
  /// The queue of the call: calls of one connection in the same queue stay in order. `nil` for no queue.
  static func queue(_ params: Params) -> String?
  /// See `Work.isWaiting`.
  static func isWaiting(_ params: Params) -> Bool
}

extension WorkMethod {
  static func queue(_ params: Params) -> String? { nil }
  static func isWaiting(_ params: Params) -> Bool { false }

  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try params(from: node)
    let arrived = try capture(params, on: connection)
    return work(queue: queue(params), isWaiting: isWaiting(params), on: connection) { () async throws(MAMError) in
      try await answer(arrived, on: connection)
    }
  }
}

extension WorkMethod where Captured == Params {
  static func capture(_ params: Params, on connection: BridgeConnection) -> Params { params }
}

extension WorkMethod where Params: Targeted, Captured == Addressed<Params> {
  static func capture(_ params: Params, on connection: BridgeConnection) -> Addressed<Params> {
    Addressed(params, on: connection)
  }
}

extension Method {
  /// Makes the work that answers a call. For `isWaiting` and `takeBack` see `Work`.
  static func work<Value: FieldValue>(
    queue: String? = nil, isWaiting: Bool = false, takeBack: @escaping @Sendable () -> Void = {},
    on connection: BridgeConnection, _ answer: @escaping @Sendable () async throws(MAMError) -> Value
  ) -> Work {
    connection.work(queue: queue, isWaiting: isWaiting, takeBack: takeBack) { () async throws(MAMError) in
      try await answer().jsonBytes
    }
  }
}

extension BridgeConnection {
  /// `answer` returns JSON. Not generic, because each method would have its own copy of what it calls.
  fileprivate func work(
    queue: String?, isWaiting: Bool, takeBack: @escaping @Sendable () -> Void,
    _ answer: @escaping @Sendable () async throws(MAMError) -> [UInt8]
  ) -> Work {
    Work(queue: queue, isWaiting: isWaiting, takeBack: takeBack) { () async throws(RPCError) in
      defer { self.didFinishCall() }
      do throws(MAMError) {
        return try await self.run(answer)
      } catch {
        throw RPCError(error, in: self.language)
      }
    }
  }

  /// Runs `answer` in the connection's name.
  func run<Value: Sendable>(
    _ answer: @Sendable () async throws(MAMError) -> Value
  ) async throws(MAMError) -> Value {
    let outcome = await onItsBehalf { () async -> Result<Value, MAMError> in
      do throws(MAMError) {
        return .success(try await answer())
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}

/// The names of the queues in which calls stay in order.
enum Queue {
  /// Calls that change accounts. All accounts share one queue, because two names may mean the same account.
  static let enrollment = "enrollment"
  /// Calls that try or set a PIN.
  static let pin = "pin"
  static let settings = "settings"

  static func file(_ handle: FileHandleNumber) -> String { "file \(handle.value)" }
}
