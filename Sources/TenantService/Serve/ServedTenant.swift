import Support
import Tenancy

/// The tenant that is served at the moment, and what is wrong with its source.
package final class ServedTenant: Sendable {
  private struct State {
    var edition: TenantEdition?
    var problem: String?
    var listeners: [@Sendable () -> Void] = []
  }

  private let store: TenantStore
  private let state = Lock(State())

  package init(_ store: TenantStore) {
    self.store = store
  }

  /// `nil` as long as nothing could be read.
  package var edition: TenantEdition? { state.withLock { $0.edition } }

  /// Why the last reading of the source has failed; `nil` if it has not.
  package var problem: String? { state.withLock { $0.problem } }

  /// Calls the body after each change of the edition. It must not block.
  func listen(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(body) } }

  /// Takes over the stored version if it is newer. Throws, and serves the last good one on, if it cannot be read.
  package func update() async throws(PublicationFailure) {
    guard let edition = try await store.edition(newerThan: edition?.generation ?? 0) else { return }
    let listeners = state.withLock { state -> [@Sendable () -> Void] in
      guard edition.generation > state.edition?.generation ?? 0 else { return [] }
      state.edition = edition
      return state.listeners
    }
    HeapMemory.releaseSoon()
    for listener in listeners { listener() }
  }

  /// Publishes what a folder has, if it has changed. Returns what there is to log.
  package func follow(_ folder: TenantFolderWatch, at time: Timestamp) async -> String? {
    let before = edition?.generation
    do throws(PublicationFailure) {
      guard let files = try Self.read(folder) else { return nil }
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
      note(error.description)
      let rest = before == nil ? "Nothing is served." : "The last good tenant is served."
      return "cannot use the tenant's folder: \(error.description). \(rest)"
    }
    note(nil)
    return edition?.generation == before ? nil : edition?.announcement
  }

  private static func read(_ folder: TenantFolderWatch) throws(PublicationFailure) -> TenantFileSet? {
    do throws(TenantError) { return try folder.read() } catch { throw .tenant(error) }
  }

  /// Keeps why the source could not be read.
  package func note(_ problem: String?) { state.withLock { $0.problem = problem } }
}
