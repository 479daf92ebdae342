import Cryptography
import Database
import Support

/// Answers `POST /mam/v1/changes`: whether registrations have a revision other than the host knows, at once or as soon as
/// that is so.
struct Changes: Sendable {
  let services: ServiceParts
  let request: ChangesRequest
  let deadline: ContinuousClock.Instant

  init(_ services: ServiceParts, _ request: ChangesRequest) {
    self.services = services
    self.request = request
    deadline = .now + .seconds(request.wait.seconds)
  }

  func answer() async throws(Problem) -> ChangesAnswer {
    if let first = request.registrations.elements.first { try services.limit("poll \(first.id.text)") }
    guard let poll = services.hub.begin() else {
      throw .unavailable("too many hosts wait for changes; check in instead", retryAfter: .seconds(60))
    }
    defer { services.hub.end(poll) }
    let hashes = try request.registrations.elements.map { registration throws(Problem) in
      try services.hash(of: registration.secret)
    }
    var known: [String: Int64] = [:]
    for registration in request.registrations.elements { known[registration.id.text] = registration.revision?.number }
    while true {
      let found = try await look(hashes, known)
      guard !found.users.isEmpty else { throw .unauthorized(SecretRoutes.scheme) }
      let rest = ContinuousClock.now.duration(to: deadline)
      if found.isNews || rest <= .zero || Task.isCancelled || services.hub.isOver { return found.answer }
      // For a host that knows no revision, what changes from now on is news.
      known.merge(found.answer.revisions) { old, _ in old }
      await services.hub.wait(poll, for: found.users, atMost: rest)
    }
  }

  private struct Found {
    var users: Set<String> = []
    var answer = ChangesAnswer(changed: [], revisions: [:], gone: [], spread: 0)
    var isNews: Bool { !answer.changed.isEmpty }
  }

  private func look(_ hashes: [[UInt8]], _ known: [String: Int64]) async throws(Problem) -> Found {
    let polled = request.registrations.elements
    let ids = polled.map(\.id.text)
    let rows = try await services.store { store throws(DatabaseError) in
      try await store.database.read { session throws(DatabaseError) in
        try ids.map { id throws(DatabaseError) in try session.polled(id) }
      }
    }
    let generation = services.served.edition?.generation ?? 0
    var found = Found()
    var isUrgent = false
    for (index, registration) in polled.enumerated() {
      let id = registration.id.text
      guard let row = rows[index], constantTimeEquals(row.secretHash, hashes[index]) else {
        found.answer.gone.append(id)
        continue
      }
      found.users.insert(row.user)
      let revision = generation + row.revision
      found.answer.revisions[id] = revision
      let isChanged = known[id].map { $0 != revision } ?? row.hasOperations
      if isChanged { found.answer.changed.append(id) }
      isUrgent = isUrgent || isChanged && row.hasOperations
    }
    if found.isNews, !isUrgent { found.answer.spread = Int64(services.options.policySpread) }
    return found
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
