import Database
import JSON
import Support
import Tenancy

/// Changes a tenant in its folder, of which the service with an SQLite store serves what it has read.
package final class FolderEditor: TenantEditor {
  private static let attempts = 5

  private let folder: String
  private let store: TenantStore
  private let served: ServedTenant
  private let time: StoreTime
  private let settling: Duration
  /// The folder as the last edit has left it, so that the next one need not wait.
  private let known = Lock<EditedFolder.State?>(nil)

  /// A folder that has changed within `settling`, through others, is not changed: more may follow.
  package init(
    folder: String, store: TenantStore, served: ServedTenant, clock: any Clock = SystemClock(),
    settling: Duration = .seconds(2)
  ) {
    (self.folder, self.store, self.served, self.settling) = (folder, store, served, settling)
    time = StoreTime(clock)
  }

  package func edit(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) {
    try await withTaskExecutorPreference(BlockingExecutor.shared) { () async throws(GraphError) in
      // Nobody reads the folder for the service between the write and the publication.
      try await served.turn.take { () async throws(GraphError) in
        for _ in 1...Self.attempts {
          if try await isDone(order, change) { return }
        }
        throw .busy("Others do not stop changing the tenant's folder.")
      }
    }
  }

  /// Returns false if others have changed a file meanwhile.
  private func isDone(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> Bool {
    let opened: EditedFolder
    let files: TenantFileSet
    do throws(EditedFolder.Refusal) {
      opened = try await EditedFolder.open(folder)
      files = try opened.read(settling: settling, known: known.withLock { $0 })
    } catch { throw GraphError(error) }
    let plan = try PlannedEdit(files, change)
    guard !plan.edits.isEmpty else { return true }
    let now = try await checked(plan, order)
    do throws(EditedFolder.Refusal) {
      guard try opened.write(plan.result, over: files), opened.isCurrent else { return false }
    } catch { throw GraphError(error) }
    known.withLock { $0 = opened.state }
    try await GraphError.publishing(wasWritten: true) { () async throws(PublicationFailure) in
      try await store.publish(plan.result, by: order.actor, at: now, limit: served.limit, authorizing: plan.edits)
      try await served.update()
    }
    return true
  }

  /// Throws before anything is written if the store could not serve the result, or the order may not do what it would.
  /// Returns the time.
  private func checked(_ plan: PlannedEdit, _ order: TenantEditOrder) async throws(GraphError) -> Timestamp {
    try await GraphError.publishing { () async throws(PublicationFailure) in
      let guarded = try await store.preview(plan.result, limit: served.limit, authorizing: plan.edits)
      if let refusal = guarded.refusal { throw PublicationFailure.tenant(refusal) }
      do throws(DatabaseError) { return try await time.now(in: store.database) } catch { throw .database(error) }
    }
  }

  package func preview(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> JSONObject {
    throw GraphError(501, "NotImplemented", "There is no preview yet.")
  }
}
