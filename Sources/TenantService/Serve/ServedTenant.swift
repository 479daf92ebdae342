import Support
import Tenancy

/// The tenant that is served at the moment, and what is wrong with its source.
package final class ServedTenant: Sendable {
  private struct State {
    var edition: TenantEdition?
    /// What is wrong with the folder, and with the version in the store.
    var folderProblem: String?
    var storeProblem: String?
    /// Counts the readings of the store, so that one that was overtaken by another changes nothing.
    var begun = 0
    var applied = 0
    var listeners: [@Sendable () -> Void] = []
  }

  private let store: TenantStore
  private let state = Lock(State())

  package init(_ store: TenantStore) {
    self.store = store
  }

  /// `nil` as long as nothing could be read.
  package var edition: TenantEdition? { state.withLock { $0.edition } }

  /// Why the tenant cannot be read; `nil` if it can.
  package var problem: String? { state.withLock { $0.folderProblem ?? $0.storeProblem } }

  /// Calls the body after each change of the edition. It must not block.
  func listen(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(body) } }

  /// Takes over the stored version if it is another one. Throws, and serves the last good one on, if it cannot be read.
  package func update() async throws(PublicationFailure) {
    let (known, number) = state.withLock { state in
      state.begun += 1
      return (state.edition, state.begun)
    }
    let edition: TenantEdition?
    do throws(PublicationFailure) {
      edition = try await store.edition(otherThan: known)
    } catch {
      if case .tenant = error { state.withLock { $0.storeProblem = error.description } }
      throw error
    }
    let listeners = state.withLock { state -> [@Sendable () -> Void] in
      guard number > state.applied else { return [] }
      state.applied = number
      state.storeProblem = nil
      guard let edition else { return [] }
      state.edition = edition
      return state.listeners
    }
    if edition != nil { HeapMemory.releaseSoon() }
    for listener in listeners { listener() }
  }

  /// Publishes what a folder has, if it has changed. Returns what there is to log.
  package func follow(_ folder: TenantFolderWatch, at time: Timestamp) async -> [String] {
    let before = edition?.generation
    do throws(PublicationFailure) {
      guard let files = try Self.read(folder) else { return [] }
      // Reading a large tenant takes several times the memory that it needs then.
      defer { HeapMemory.releaseSoon() }
      do throws(PublicationFailure) {
        try await store.publish(files, by: Operation.folder, at: time)
        try await update()
      } catch {
        if case .database = error { folder.readAgain() }
        throw error
      }
    } catch {
      state.withLock { $0.folderProblem = error.description }
      let rest = before == nil ? "Nothing is served." : "The last good tenant is served."
      return ["cannot use the tenant's folder: \(error.description). \(rest)"]
    }
    state.withLock { $0.folderProblem = nil }
    guard let edition, edition.generation != before else { return [] }
    return [edition.announcement]
  }

  private static func read(_ folder: TenantFolderWatch) throws(PublicationFailure) -> TenantFileSet? {
    do throws(TenantError) { return try folder.read() } catch { throw .tenant(error) }
  }
}
