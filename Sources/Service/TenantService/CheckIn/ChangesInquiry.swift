import Cryptography
import Database
import Support

/// Answers `POST /mam/v1/changes`: whether registrations have a revision other than the host knows, at once or as soon as
/// that is so.
struct Changes: Sendable {
  let parts: ServiceParts
  /// So many registrations that are gone are looked for in one request, because anybody may ask about any.
  private static let mostGone = 20

  let request: ChangesRequest
  let deadline: ContinuousClock.Instant

  init(_ parts: ServiceParts, _ request: ChangesRequest) {
    self.parts = parts
    self.request = request
    deadline = .now + .seconds(request.wait.seconds)
  }

  /// Calls `didProve` when the secret of a registration is right, before it waits.
  func answer(_ didProve: @Sendable () -> Void) async throws(Problem) -> ChangesAnswer {
    guard let poll = parts.hub.begin() else {
      throw .unavailable("too many hosts wait for changes; check in instead", retryAfter: .seconds(60))
    }
    defer { parts.hub.end(poll) }
    let hashes = try request.registrations.elements.map { registration throws(Problem) in
      try parts.hash(of: registration.secret)
    }
    var known: [String: Int64] = [:]
    for registration in request.registrations.elements { known[registration.id.text] = registration.revision?.number }
    var found = try await look(hashes, known)
    try admit(poll, found)
    if !found.users.isEmpty { didProve() }
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      guard !found.mustAnswer, rest > .zero, !Task.isCancelled, !parts.hub.isOver, !parts.hub.isDisplaced(poll)
      else { return found.answer }
      // For a host that knows no revision, what changes from now on is news.
      known.merge(found.answer.revisions) { old, _ in old }
      await parts.hub.wait(poll, atMost: rest)
      found = try await look(hashes, known)
    }
  }

  /// Takes the places of the registrations, and throws 429 if all of them are asked about too often. A registration
  /// over its rate takes no place, but its news are still in the answer. Checked after the look-up, because before it
  /// nobody knows which secrets are right.
  private func admit(_ poll: ChangeHub.Poll, _ found: Found) throws(Problem) {
    var admitted: Set<String> = []
    var shortestWait: Duration?
    for id in found.answer.revisions.keys {
      guard let wait = parts.limiter.take(.poll(id), at: parts.clock.now) else {
        admitted.insert(id)
        continue
      }
      shortestWait = min(wait, shortestWait ?? wait)
    }
    if admitted.isEmpty, let shortestWait { throw .tooMany(retryAfter: shortestWait) }
    guard request.wait.seconds > 0 else { return }
    let displaced = parts.hub.claim(poll, for: found.users, in: admitted)
    if displaced > 0 { parts.metrics.count(.displacedPolls(displaced)) }
  }

  /// In seconds. While wipes are on hold, hosts that may be about to wipe should hear of it soon.
  private var spread: Int {
    let options = parts.options
    return parts.holds.hold == nil ? options.policySpread : min(options.holdSpread, options.policySpread)
  }

  private struct Found {
    var users: Set<String> = []
    var answer = ChangesAnswer(changed: [], revisions: [:], gone: [], spread: 0)
    /// A host must know what is gone, if there is nothing else to wait for.
    var mustAnswer: Bool { !answer.changed.isEmpty || users.isEmpty || answer.gone.count >= Changes.mostGone }
  }

  private func look(_ hashes: [[UInt8]], _ known: [String: Int64]) async throws(Problem) -> Found {
    let polled = request.registrations.elements
    let ids = polled.map(\.id.text)
    let rows = try await parts.store { store throws(DatabaseError) in
      try await store.database.read { session throws(DatabaseError) in try Self.rows(of: ids, hashes, session) }
    }
    let generation = parts.served.edition?.generation ?? 0
    var found = Found()
    var isUrgent = false
    for (registration, row) in zip(polled, rows) {
      let id = registration.id.text
      guard let row else {
        found.answer.gone.append(id)
        continue
      }
      found.users.insert(row.user)
      let revision = Revision(generation: generation, count: row.revision).number
      found.answer.revisions[id] = revision
      let isChanged = known[id].map { $0 != revision } ?? row.hasOperations
      if isChanged { found.answer.changed.append(id) }
      isUrgent = isUrgent || isChanged && row.hasOperations
    }
    if !found.answer.changed.isEmpty, !isUrgent { found.answer.spread = Int64(spread) }
    return found
  }
}

extension Changes {
  /// `nil` for a registration that is gone. Ends after too many of these: the host asks about the rest when it has left
  /// these out.
  private static func rows(
    of ids: [String], _ hashes: [[UInt8]], _ session: any DatabaseSession
  ) throws(DatabaseError) -> [PolledRow?] {
    var rows: [PolledRow?] = []
    var gone = 0
    for (id, hash) in zip(ids, hashes) where gone < mostGone {
      let row = try session.polled(id).flatMap { constantTimeEquals($0.secretHash, hash) ? $0 : nil }
      rows.append(row)
      if row == nil { gone += 1 }
    }
    return rows
  }
}

/// What a poll needs of a registration.
private struct PolledRow: Sendable {
  let secretHash: [UInt8]
  let user: String
  let revision: Int64
  let hasOperations: Bool
}

extension DatabaseSession {
  /// Also of one that has ended, which may have operations to carry out.
  fileprivate func polled(_ id: String) throws(DatabaseError) -> PolledRow? {
    try row(
      """
      SELECT secret_hash, user_id, revision, (
        SELECT count(*) FROM operation_target WHERE registration_id = registration.id AND state = 'pending')
      FROM registration WHERE id = :id
      """, ["id": .text(id)]
    ).map { row in
      PolledRow(
        secretHash: row.bytes(0) ?? [], user: row.text(1) ?? "", revision: row.integer(2) ?? 0,
        hasOperations: row.integer(3) ?? 0 > 0)
    }
  }
}
