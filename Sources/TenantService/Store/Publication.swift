import Cryptography
import Database
import Model
import Support
import Tenancy

extension TenantStore {
  /// Makes the files the tenant that all replicas serve, and orders the operations that tenant.json lists. Operations
  /// that it no longer lists are taken back.
  @discardableResult
  package func publish(
    _ files: TenantFileSet, by actor: String, at time: Timestamp
  ) async throws(PublicationFailure) -> Int64 {
    let edition: TenantEdition
    do throws(TenantError) {
      edition = try TenantEdition(files, generation: 0, published: time)
    } catch { throw .tenant(error) }
    return try await publish(edition, files, actor, time)
  }

  private func publish(
    _ edition: TenantEdition, _ files: TenantFileSet, _ actor: String, _ time: Timestamp
  ) async throws(PublicationFailure) -> Int64 {
    let body = files.stored
    do {
      let digest = try SHA256.digest(body)
      let operations = try edition.operations(at: time)
      return try await database.write { session throws(DatabaseError) in
        let generation = try session.publish(body, digest: digest, by: actor, at: time)
        try session.follow(operations, at: time)
        return generation
      }
    } catch let error as DatabaseError {
      throw .database(error)
    } catch {
      throw .database(DatabaseError(.failed, "\(error)"))
    }
  }

  /// The version that is served, if it is newer than `generation`; `nil` otherwise.
  package func edition(newerThan generation: Int64) async throws(PublicationFailure) -> TenantEdition? {
    let stored: StoredSnapshot?
    do throws(DatabaseError) {
      stored = try await database.read { session throws(DatabaseError) in
        try session.snapshotGeneration() > generation ? try session.snapshot() : nil
      }
    } catch { throw .database(error) }
    guard let stored else { return nil }
    do throws(TenantError) {
      return try TenantEdition(
        TenantFileSet(stored: stored.body), generation: stored.generation, published: stored.published)
    } catch { throw .tenant(error) }
  }
}

/// Why a tenant is not published or served.
package enum PublicationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case tenant(TenantError)
  case database(DatabaseError)

  package var description: String {
    switch self {
    case .tenant(let error): error.description
    case .database(let error): error.text
    }
  }
}

extension TenantEdition {
  /// The operations of tenant.json. Those for a user that the tenant does not list need the object id.
  fileprivate func operations(at time: Timestamp) throws(CryptographyError) -> [Operation] {
    var operations: [Operation] = []
    for listed in tenant.operations {
      guard let user = targetId(of: listed) else { continue }
      let text = [listed.kind.rawValue, user, listed.app ?? "*", listed.requested].joined(separator: "\n")
      let id = String(uuid: Array(try SHA256.digest(Array(text.utf8)).prefix(16)), version: 8)
      operations.append(
        Operation(
          id: id, kind: Operation.Kind(listed.kind), tenantId: tenantId, userId: user, appId: listed.app,
          deviceTag: nil, orderedBy: Operation.folder, ordered: time))
    }
    return operations
  }
}

extension Operation.Kind {
  fileprivate init(_ kind: TenantOperation.Kind) {
    switch kind {
    case .wipe: self = .wipe
    case .wipeAndBlock: self = .wipeAndBlock
    }
  }
}

extension DatabaseSession {
  /// Orders the operations that are new, and takes those back that are gone.
  fileprivate func follow(_ operations: [Operation], at time: Timestamp) throws(DatabaseError) {
    let known = try folderOperations()
    for operation in operations where !known.contains(operation.id) {
      let count = try order(operation)
      try append(
        AuditEntry(
          time, Operation.folder, .order, "\(operation.kind.rawValue) \(operation.id) of \(operation.userId)",
          outcome: "\(count) registrations"))
    }
    for id in known.subtracting(operations.map(\.id)).sorted() {
      try cancel(id, at: time)
      try append(AuditEntry(time, Operation.folder, .cancel, id))
    }
  }
}
