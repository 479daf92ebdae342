import JSON
import JSONRPC
import MAM

/// The answer to one call that may wait for a disk or for somebody.
struct WorkAnswer<Arrived: Sendable, Answer: FieldValue>: Sendable {
  let arrived: Arrived
  let body: @Sendable (Arrived, Core, BridgeConnection) async throws(MAMError) -> Answer

  func give(_ connection: BridgeConnection, queue: String?) -> Work {
    Work(queue: queue) { () async throws(RPCError) in
      defer { connection.didFinishCall() }
      do throws(MAMError) {
        return try await run(on: connection).jsonBytes
      } catch {
        throw RPCError(error, in: connection.language)
      }
    }
  }

  /// What the core asks meanwhile is asked for this connection, in its user's language.
  private func run(on connection: BridgeConnection) async throws(MAMError) -> Answer {
    let outcome = await BridgeConnection.$current.withValue(connection) { () async -> Result<Answer, MAMError> in
      await Language.$ofCall.withValue(connection.language) { () async -> Result<Answer, MAMError> in
        do throws(MAMError) {
          return .success(try await body(arrived, connection.core, connection))
        } catch {
          return .failure(error)
        }
      }
    }
    return try outcome.get()
  }
}
