import JSON
import JSONRPC
import MAM

/// The answer to one call from what the core holds in memory: at once when that is up to date.
struct MemoryAnswer<Arrived: Sendable, Result: FieldValue>: Sendable {
  let arrived: Arrived
  let body: @Sendable (Arrived, CoreState) throws(MAMError) -> Result

  func give(_ core: Core, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    guard let state = core.currentState else { return refreshing(core) }
    try answer(from: state).encode(to: &writer)
    return nil
  }

  /// The first call, and the first after a change by another process, have to read the disk.
  private func refreshing(_ core: Core) -> Work {
    Work { () async throws(RPCError) in
      do throws(MAMError) {
        try core.refresh()
      } catch {
        throw RPCError(error)
      }
      return try answer(from: core.state).jsonBytes
    }
  }

  private func answer(from state: CoreState) throws(RPCError) -> Result {
    do throws(MAMError) {
      return try body(arrived, state)
    } catch {
      throw RPCError(error)
    }
  }
}
