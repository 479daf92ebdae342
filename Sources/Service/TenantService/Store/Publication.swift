import Cryptography
import Database
import Model
import Support
import Tenancy

extension TenantStore {
  /// How often a publication is tried that another one has overtaken.
  private static let attempts = 5

  /// What became of a publication.
  package struct Published: Hashable, Sendable {
    package let generation: Int64
    /// What the tenant keeps although the files no longer have it.
    package let held: HeldRemovals
  }

  /// Makes the files the tenant that all replicas serve, and orders the operations that tenant.json lists. Operations
  /// that its list no longer has are taken back; one whose user is no longer listed stays, so that a leaver is wiped.
  ///
  /// If too much is missing in comparison with the last accepted version, the tenant keeps it. `limit` is `nil` if an
  /// administrator accepts whatever is missing. What `edits` take away was ordered, and does not count as missing.
  ///
  /// With `keepsEdits`, throws if the files take back what others have changed since a folder was published last.
  @discardableResult
  package func publish(
    _ files: TenantFileSet, by actor: String, at time: Timestamp, limit: RemovalLimit? = RemovalLimit(),
    authorizing edits: [TenantFileEdit] = [], keepsEdits: Bool = false
  ) async throws(PublicationFailure) -> Published {
    for _ in 1...Self.attempts {
      let basis = try await basis()
      let others = keepsEdits ? try await self.edits(before: basis, publishing: files) : nil
      let guarded = try PublicationFailure.reading { () throws(TenantError) in
        try basis.guarding(files, limit, authorizing: edits)
      }
      let action = limit == nil ? AuditEntry.Action.accept : nil
      if let published = try await publish(
        guarded, instead: files, basis, actor, time, action, confirms: others != nil)
      {
        return published
      }
    }
    throw .database(DatabaseError(.unavailable, "others publish at the same time; try again"))
  }

  /// What the tenant would keep, and what would be served, if the files were published. Changes nothing.
  package func preview(
    _ files: TenantFileSet, limit: RemovalLimit? = RemovalLimit(), authorizing edits: [TenantFileEdit] = []
  ) async throws(PublicationFailure) -> GuardedTenant {
    let basis = try await basis()
    return try PublicationFailure.reading { () throws(TenantError) in
      try basis.guarding(files, limit, authorizing: edits)
    }
  }

  /// What is served; `nil` if nothing is.
  package func servedFiles() async throws(PublicationFailure) -> TenantFileSet? {
    try await basis().served.flatMap { try? TenantFileSet(stored: $0.body) }
  }

  /// What was published last, without what is held back; `nil` if nothing was. The basis is for `publish(_:on:)`.
  func publishedFiles() async throws(PublicationFailure) -> (basis: PublicationBasis, files: TenantFileSet?) {
    let basis = try await basis()
    guard let published = basis.published else { return (basis, nil) }
    return (basis, try PublicationFailure.reading { () throws(TenantError) in try TenantFileSet(stored: published) })
  }

  /// Publishes what an edit makes of the files of the basis. Returns `nil`, and changes nothing, if something else was
  /// published meanwhile.
  func publish(
    _ plan: PlannedEdit, on basis: PublicationBasis, by actor: String, at time: Timestamp, limit: RemovalLimit?
  ) async throws(PublicationFailure) -> Published? {
    let guarded = try PublicationFailure.reading { () throws(TenantError) in
      try basis.guarding(plan.result, limit, authorizing: plan.edits)
    }
    return try await publish(guarded, instead: plan.result, basis, actor, time, nil)
  }

  /// What the tenant keeps at the moment although what was published last no longer has it.
  package func heldRemovals() async throws(DatabaseError) -> HeldRemovals {
    try await database.read { session throws(DatabaseError) in try session.publicationBasis().held }
  }

  /// The same, and what names it together with the version that was published last.
  package func heldRevision() async throws(DatabaseError) -> (held: HeldRemovals, revision: String) {
    try await database.read { session throws(DatabaseError) in
      let basis = try session.publicationBasis()
      return (basis.held, try basis.revision())
    }
  }

  /// Lets go what the tenant keeps. Returns what that was. Throws if that is not what `revision` names.
  package func acceptRemovals(
    by actor: String, at time: Timestamp, revision: String? = nil
  ) async throws(PublicationFailure) -> HeldRemovals {
    for _ in 1...Self.attempts {
      let basis = try await basis()
      if let revision {
        let current: String
        do throws(DatabaseError) { current = try basis.revision() } catch { throw .database(error) }
        guard revision == current else { throw .outdated }
      }
      guard let wanted = basis.current?.wanted else { return HeldRemovals() }
      let guarded = try PublicationFailure.reading { () throws(TenantError) in
        let files = try TenantFileSet(stored: wanted)
        return try basis.guarding(files, nil)
      }
      if try await publish(guarded, instead: guarded.files, basis, actor, time, .accept) != nil { return basis.held }
    }
    throw .database(DatabaseError(.unavailable, "others publish at the same time; try again"))
  }

  private func basis() async throws(PublicationFailure) -> PublicationBasis {
    do throws(DatabaseError) {
      return try await database.read { session throws(DatabaseError) in try session.publicationBasis() }
    } catch { throw .database(error) }
  }

  /// Makes another tenant.json the one that all replicas serve, with the policies and configurations that they serve now,
  /// because those in the folder cannot be read. Throws the fault if nothing is served.
  @discardableResult
  package func publish(
    tenantFile text: String, policyFault fault: TenantError, by actor: String, at time: Timestamp,
    limit: RemovalLimit? = RemovalLimit()
  ) async throws(PublicationFailure) -> Published {
    let files = try await files(withTenantFile: text, policyFault: fault)
    return try await publish(files, by: actor, at: time, limit: limit)
  }

  /// The policies and configurations that were published last with another tenant.json. Throws the fault if there are
  /// none. What is held back is not among them: it is still missing.
  package func files(
    withTenantFile text: String, policyFault fault: TenantError
  ) async throws(PublicationFailure) -> TenantFileSet {
    guard let published = try await basis().published else { throw .tenant(fault) }
    return try PublicationFailure.reading { () throws(TenantError) in
      try TenantFileSet(stored: published).withTenantFile(text)
    }
  }

  /// `nil` if something else was published since the basis was read. `action` is what the audit says if nothing is held
  /// back any longer: nothing, if what was missing is there again. `confirms` makes an edition of what is served already.
  private func publish(
    _ guarded: GuardedTenant, instead files: TenantFileSet, _ basis: PublicationBasis, _ actor: String,
    _ time: Timestamp, _ action: AuditEntry.Action?, confirms: Bool = false
  ) async throws(PublicationFailure) -> Published? {
    if let refusal = guarded.refusal {
      guard try await note(guarded, of: files, basis, actor, time) else { return nil }
      throw .tenant(refusal)
    }
    let edition = try PublicationFailure.reading { () throws(TenantError) in
      try TenantEdition(guarded.files, generation: 0, published: time)
    }
    let body = guarded.files.stored
    let changes = basis.changes(to: edition.tenant, body)
    do {
      let digest = try SHA256.digest(body)
      let operations = try edition.listedOperations(at: time)
      return try await database.write { session throws(DatabaseError) in
        guard try session.isCurrent(basis) else { return nil }
        let held = guarded.held
        let isNews = held != basis.held
        let generation = try session.publish(
          body, digest: digest, by: actor, at: time, isNews: isNews || confirms,
          source: held.isEmpty ? nil : files.stored, changes: changes)
        if isNews, let action = held.isEmpty ? action : .hold {
          let outcome = held.isEmpty ? basis.held.summary : held.summary
          try session.append(AuditEntry(time, actor, action, "snapshot \(generation)", outcome: outcome))
        }
        let accepted = AcceptedEdition(
          revision: (basis.accepted?.revision ?? 0) + 1, body: guarded.accepted.stored,
          wanted: held.isEmpty ? nil : files.stored, held: held, generation: generation)
        if !accepted.saysSame(as: basis.accepted) { try session.set(accepted) }
        try session.follow(operations, at: time)
        return Published(generation: generation, held: held)
      }
    } catch let error as DatabaseError {
      throw .database(error)
    } catch {
      throw .database(DatabaseError(.failed, "\(error)"))
    }
  }

  /// Stores a version that is not served, so that an administrator can accept it. Returns whether nothing else was
  /// published since the basis was read.
  private func note(
    _ guarded: GuardedTenant, of files: TenantFileSet, _ basis: PublicationBasis, _ actor: String, _ time: Timestamp
  ) async throws(PublicationFailure) -> Bool {
    let noted = AcceptedEdition(
      revision: (basis.accepted?.revision ?? 0) + 1, body: guarded.accepted.stored, wanted: files.stored,
      held: guarded.held, generation: basis.served?.generation ?? 0)
    do throws(DatabaseError) {
      return try await database.write { session throws(DatabaseError) in
        guard try session.isCurrent(basis) else { return false }
        guard !noted.saysSame(as: basis.accepted) else { return true }
        try session.set(noted)
        try session.append(
          AuditEntry(time, actor, .hold, "snapshot \(noted.generation)", outcome: noted.held.summary))
        return true
      }
    } catch { throw .database(error) }
  }

  /// The version that the store has, if it is another one than `known`; `nil` otherwise. After a restore of the store it
  /// may be an older one.
  package func edition(otherThan known: TenantEdition?) async throws(PublicationFailure) -> TenantEdition? {
    let (generation, published) = (known?.generation, known?.published)
    let stored: (snapshot: StoredSnapshot, held: HeldRemovals)?
    do throws(DatabaseError) {
      stored = try await database.read { session throws(DatabaseError) in
        guard try session.hasSnapshot(otherThan: generation, published), let snapshot = try session.snapshot() else {
          return nil
        }
        return (snapshot, try session.heldRemovals(of: snapshot.generation))
      }
    } catch { throw .database(error) }
    guard let (snapshot, held) = stored else { return nil }
    return try PublicationFailure.reading { () throws(TenantError) in
      try TenantEdition(
        TenantFileSet(stored: snapshot.body), generation: snapshot.generation, published: snapshot.published, held: held
      )
    }
  }
}

/// What the store has when something is published.
struct PublicationBasis: Sendable {
  fileprivate let accepted: AcceptedEdition?
  fileprivate let served: StoredSnapshot?

  /// What was accepted, unless a program that knows no accepted versions has published since.
  fileprivate var current: AcceptedEdition? { accepted.flatMap { $0.generation == served?.generation ? $0 : nil } }

  /// What is held back of the version that is served.
  fileprivate var held: HeldRemovals { current?.wanted == nil ? HeldRemovals() : current?.held ?? HeldRemovals() }

  fileprivate func revision() throws(DatabaseError) -> String {
    let wanted = String(decoding: published ?? [], as: UTF8.self)
    return String(try TenantStore.identifier(of: [held.jsonValue.jsonText, wanted]).prefix(8))
  }

  /// What was published last, without what is held back of it; `nil` if nothing was.
  var published: [UInt8]? { current?.wanted ?? served?.body }

  /// Of what is served; `nil` if nothing is.
  var generation: Int64? { served?.generation }

  /// For the audit: what changes of the version that is served. None for the first version.
  fileprivate func changes(to tenant: TenantSnapshot, _ body: [UInt8]) -> [String] {
    guard let served, served.body != body, let old = try? TenantFileSet(stored: served.body).read() else { return [] }
    let lines = TenantChanges(from: old, to: tenant, hidesCustomSettings: true).lines
    let rest = lines.count - EditionLimits.auditLines
    return lines.prefix(EditionLimits.auditLines) + (rest > 0 ? ["\(rest) more changes"] : [])
  }

  /// What was published by a program that knows no accepted versions counts as accepted. The files are compared with
  /// versions that have the edits, too.
  fileprivate func guarding(
    _ files: TenantFileSet, _ limit: RemovalLimit?, authorizing edits: [TenantFileEdit] = []
  ) throws(TenantError) -> GuardedTenant {
    guard let stored = served, let limit else {
      return try GuardedTenant(files, accepted: nil, served: nil, limit: RemovalLimit())
    }
    guard let accepted = accepted.flatMap({ try? TenantFileSet(stored: $0.body) }) else {
      let served = try TenantFileSet(stored: stored.body).applyingWherePossible(edits)
      return try GuardedTenant(files, accepted: served, served: served, held: held, limit: limit)
    }
    let served = try? TenantFileSet(stored: stored.body).applyingWherePossible(edits)
    return try GuardedTenant(
      files, accepted: accepted.applyingWherePossible(edits), served: served, held: held, limit: limit)
  }
}

extension AcceptedEdition {
  fileprivate func saysSame(as other: AcceptedEdition?) -> Bool {
    guard let other else { return false }
    return (body, wanted, held, generation) == (other.body, other.wanted, other.held, other.generation)
  }
}

extension DatabaseSession {
  fileprivate func publicationBasis() throws(DatabaseError) -> PublicationBasis {
    PublicationBasis(accepted: try acceptedEdition(), served: try snapshot())
  }

  /// Whether nothing was published since.
  fileprivate func isCurrent(_ basis: PublicationBasis) throws(DatabaseError) -> Bool {
    let accepted = try row("SELECT revision FROM accepted_edition")?.integer(0)
    let isOther = try hasSnapshot(otherThan: basis.served?.generation, basis.served?.published)
    return accepted == basis.accepted?.revision && !isOther
  }
}

/// Why a tenant is not published or served.
package enum PublicationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case tenant(TenantError)
  case database(DatabaseError)
  /// What an administrator accepts is not what is held back now.
  case outdated
  /// The folder takes back what others have changed.
  case edited(EditsSincePublication)

  package var description: String {
    switch self {
    case .tenant(let error): error.description
    case .database(let error): error.text
    case .outdated:
      "what is held back has changed since that revision; look at it with mambridge-tenant accept --dry-run"
    case .edited(let edits):
      "nothing was published: \(edits.line). Bring these changes into the folder, or discard them with --replace-edits. "
        + "mambridge-tenant history --restore \(edits.served) --folder FOLDER makes the folder what is served; what only the "
        + "folder has is lost then, so commit or copy it first"
    }
  }
}

/// The operations of tenant.json.
private struct ListedOperations: Sendable {
  /// Those whose object id is known.
  var operations: [Operation] = []
  /// The names of all entries.
  var entries: Set<String> = []
  /// Whether there is a list, so that what it lacks is taken back.
  let isList: Bool
}

extension TenantEdition {
  fileprivate func listedOperations(at time: Timestamp) throws(DatabaseError) -> ListedOperations {
    var listed = ListedOperations(isList: tenant.listsOperations)
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

extension PublicationFailure {
  static func reading<Value>(
    _ body: () throws(TenantError) -> Value
  ) throws(PublicationFailure) -> Value {
    do throws(TenantError) { return try body() } catch { throw .tenant(error) }
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
    guard listed.isList else { return }
    let ids = Set(listed.operations.map(\.id))
    let gone = known.filter { !ids.contains($0.key) && !listed.entries.contains($0.value) }
    for id in gone.keys.sorted() {
      try cancel(id, at: time)
      try append(AuditEntry(time, Operation.folder, .cancel, id))
    }
  }
}
