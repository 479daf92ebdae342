import BridgeAPI
import JSON
import JSONRPC
import MAM

/// Answered at once or later, as the call decides on the reading thread.
struct EitherMethod<M: Method>: MethodEntry {
  enum Answer {
    case now(M.Result)
    /// `isWaiting` and `takeBack` as in `Work`.
    case later(
      isWaiting: Bool = false, takeBack: @Sendable () -> Void = {}, @Sendable () async throws(MAMError) -> M.Result)
  }
  typealias Body = @Sendable (M.Params, BridgeConnection) -> Answer
  let body: Body

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    switch body(try M.params(from: node), connection) {
    case .now(let result):
      result.encode(to: &writer)
      return nil
    case .later(let isWaiting, let takeBack, let work):
      return Work(isWaiting: isWaiting, takeBack: takeBack) { () async throws(RPCError) in
        defer { connection.didFinishCall() }
        do throws(MAMError) {
          return try await work().jsonBytes
        } catch {
          throw RPCError(error)
        }
      }
    }
  }
}
