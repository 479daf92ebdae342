import Cryptography
import Database
import Model
import Support
import Tenancy

extension TenantStore {
  /// Makes the files the tenant that all replicas serve, and orders the operations that tenant.json lists. Operations
  /// that it no longer lists are taken back; one whose user is no longer listed stays, so that a leaver is wiped.
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
      let operations = try edition.listedOperations(at: time)
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

  /// The version that the store has, if it is another one than `known`; `nil` otherwise. After a restore of the store it
  /// may be an older one.
  package func edition(otherThan known: TenantEdition?) async throws(PublicationFailure) -> TenantEdition? {
    let (generation, published) = (known?.generation, known?.published)
    let stored: StoredSnapshot?
    do throws(DatabaseError) {
      stored = try await database.read { session throws(DatabaseError) in
        try session.hasSnapshot(otherThan: generation, published) ? try session.snapshot() : nil
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

/// The operations of tenant.json.
private struct ListedOperations: Sendable {
  /// Those whose object id is known.
  var operations: [Operation] = []
  /// The names of all entries.
  var entries: Set<String> = []
}

extension TenantEdition {
  fileprivate func listedOperations(at time: Timestamp) throws(DatabaseError) -> ListedOperations {
    var listed = ListedOperations()
    for operation in tenant.operations {
      func identifier(_ user: String) throws(DatabaseError) -> String {
        try TenantStore.identifier(of: [operation.kind.rawValue, user, operation.app ?? "*", operation.requested])
      }
      let entry = try identifier(operation.user.key)
      listed.entries.insert(entry)
      guard let user = targetId(of: operation) else { continue }
      listed.operations.append(
        Operation(
          id: try identifier(user), kind: Operation.Kind(operation.kind), tenantId: tenantId, userId: user,
          appId: operation.app, deviceTag: nil, orderedBy: Operation.folder, ordered: time, entry: entry))
    }
    return listed
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
  /// Orders the operations that are new, and takes those back whose entries are gone. An entry may name somebody whom
  /// the tenant no longer lists, or lists with another id; what it has ordered stays then.
  fileprivate func follow(_ listed: ListedOperations, at time: Timestamp) throws(DatabaseError) {
    var known = try folderOperations()
    for operation in listed.operations {
      if let entry = known[operation.id] {
        if !listed.entries.contains(entry) { try setEntry(operation.entry, of: operation.id) }
        continue
      }
      known[operation.id] = operation.entry
      let count = try order(operation)
      try append(
        AuditEntry(
          time, Operation.folder, .order, "\(operation.kind.rawValue) \(operation.id) of \(operation.userId)",
          outcome: "\(count) registrations"))
    }
    let ids = Set(listed.operations.map(\.id))
    let gone = known.filter { !ids.contains($0.key) && !listed.entries.contains($0.value) }
    for id in gone.keys.sorted() {
      try cancel(id, at: time)
      try append(AuditEntry(time, Operation.folder, .cancel, id))
    }
  }
}
