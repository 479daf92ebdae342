import Database
import Support
import TestSupport

/// A database that holds one transaction, so that others come in between.
final class HeldDatabase: Database {
  private struct State {
    var held: Kind?
    var isHolding = false
    var isReleased = false
  }

  enum Kind {
    /// After it has read.
    case read
    /// Before it begins.
    case write
  }

  private let base: any Database
  private let state = Lock(State())

  init(_ base: any Database) { self.base = base }

  /// Holds the next transaction of a kind, until `release`.
  func hold(next kind: Kind) { state.withLock { $0 = State(held: kind) } }

  func release() { state.withLock { $0.isReleased = true } }

  /// Returns once a transaction is held; false if none comes.
  func isHolding() async -> Bool { await eventually { state.withLock { $0.isHolding } } }

  private func pass(_ kind: Kind) async {
    let mustWait = state.withLock { state in
      guard state.held == kind, !state.isHolding else { return false }
      state.isHolding = true
      return true
    }
    if mustWait { _ = await eventually { state.withLock { $0.isReleased } } }
  }

  var engine: DatabaseEngine { base.engine }

  func write<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    await pass(.write)
    return try await base.write(body)
  }

  func writeInGroup<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T { try await base.writeInGroup(body) }

  func read<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T {
    let value = try await base.read(body)
    await pass(.read)
    return value
  }

  func listen(_ body: @escaping @Sendable (DatabaseNotice) -> Void) { base.listen(body) }

  func close() async { await base.close() }
}
