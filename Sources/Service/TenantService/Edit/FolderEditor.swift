import Database
import JSON
import Support
import Tenancy

/// Changes a tenant in its folder, of which the service with an SQLite store serves what it has read.
package final class FolderEditor: TenantEditor {
  package static let usualSettling = Duration.seconds(2)
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
    settling: Duration = FolderEditor.usualSettling
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
        throw .busy("The tenant's folder keeps changing, so nothing was changed.")
      }
    }
  }

  /// Returns false if others have changed a file meanwhile.
  private func isDone(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> Bool {
    let (opened, plan) = try await plan(change)
    guard !plan.edits.isEmpty else { return true }
    try await check.check(plan, order)
    let now = try await GraphError.publishing { () async throws(PublicationFailure) in
      do throws(DatabaseError) { return try await time.now(in: store.database) } catch { throw .database(error) }
    }
    do throws(EditedFolder.Refusal) {
      guard try opened.write(plan.result, over: plan.files), opened.isCurrent else { return false }
    } catch { throw GraphError(error) }
    known.withLock { $0 = opened.state }
    try await GraphError.publishing(wasWritten: true) { () async throws(PublicationFailure) in
      try await store.publish(plan.result, by: order.actor, at: now, limit: served.limit, authorizing: plan.edits)
      try await served.update()
    }
    return true
  }

  private func plan(
    _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> (EditedFolder, PlannedEdit) {
    let opened: EditedFolder
    let files: TenantFileSet
    do throws(EditedFolder.Refusal) {
      opened = try await EditedFolder.open(folder)
      files = try opened.read(settling: settling, known: known.withLock { $0 })
    } catch { throw GraphError(error) }
    return (opened, try PlannedEdit(files, change))
  }

  private var check: EditCheck { EditCheck(store: store, served: served) }

  package func preview(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> JSONObject {
    try await withTaskExecutorPreference(BlockingExecutor.shared) { () async throws(GraphError) in
      let plan = try await served.turn.take { () async throws(GraphError) -> PlannedEdit in
        try await self.plan(change).1
      }
      return try await check.preview(plan)
    }
  }
}
