import Database
import JSON
import Support
import Tenancy

/// Changes a tenant in the database of its replicas, of which each serves what was published last.
package final class SnapshotEditor: TenantEditor {
  private static let attempts = 10

  private let store: TenantStore
  private let served: ServedTenant
  private let time: StoreTime

  package init(store: TenantStore, served: ServedTenant, clock: any Clock = SystemClock()) {
    (self.store, self.served) = (store, served)
    time = StoreTime(clock)
  }

  package func edit(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) {
    for attempt in 1...Self.attempts {
      if try await isDone(order, change) { return }
      // Others were faster. With as many replicas as there may be, one of them is always done.
      try? await Task.sleep(for: .milliseconds(Int.random(in: 1...10 * attempt)))
    }
    throw .busy("The tenant keeps changing, so nothing was changed.")
  }

  /// Returns false if something else was published meanwhile.
  private func isDone(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> Bool {
    let (basis, plan) = try await plan(change)
    guard !plan.edits.isEmpty else { return true }
    try await check.check(plan, order)
    return try await GraphError.publishing { () async throws(PublicationFailure) in
      let now: Timestamp
      do throws(DatabaseError) { now = try await time.now(in: store.database) } catch { throw .database(error) }
      guard try await store.publish(plan, on: basis, by: order.actor, at: now, limit: served.limit) != nil else {
        return false
      }
      try await served.update()
      return true
    }
  }

  private func plan(
    _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> (PublicationBasis, PlannedEdit) {
    let (basis, files) = try await GraphError.publishing { () async throws(PublicationFailure) in
      try await store.publishedFiles()
    }
    guard let files else { throw .conflict("No tenant was published yet.") }
    return (basis, try PlannedEdit(files, change))
  }

  private var check: EditCheck { EditCheck(store: store, served: served) }

  package func preview(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> JSONObject {
    try await check.preview(plan(change).1)
  }
}
