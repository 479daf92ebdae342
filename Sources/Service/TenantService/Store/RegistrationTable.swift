import Database
import SourceProtocol
import Support

extension DatabaseSession {
  /// Ended registrations too.
  package func registration(_ id: String) throws(DatabaseError) -> Registration? {
    try row("SELECT \(Registration.columns) FROM registration WHERE id = :id", ["id": .text(id)])
      .map(Registration.init)
  }

  /// Those that have not ended, or did so not long ago.
  private static var listed: String { "(ended IS NULL OR ended >= :since)" }

  private static func value(since time: Timestamp?) -> DatabaseValue { DatabaseValue(time ?? .distantFuture) }

  /// A page of the registrations that have not ended, or ended at `endedSince` or later, by id: those after `after`. Of
  /// one user, or of all.
  package func registrations(
    of user: String? = nil, after: String = "", limit: Int, endedSince: Timestamp? = nil
  ) throws(DatabaseError) -> [Registration] {
    let select = "SELECT \(Registration.columns) FROM registration WHERE \(Self.listed) AND id > :after"
    let end = "ORDER BY id LIMIT :limit"
    let (limit, since) = (DatabaseValue.integer(Int64(max(0, limit))), Self.value(since: endedSince))
    guard let user else {
      return try rows("\(select) \(end)", ["since": since, "after": .text(after), "limit": limit])
        .map(Registration.init)
    }
    return try rows(
      "\(select) AND user_id = :user \(end)",
      ["since": since, "after": .text(after), "user": .text(user), "limit": limit]
    )
    .map(Registration.init)
  }

  /// The number of registrations that have not ended, or ended at `endedSince` or later. Of one user, or of all.
  package func registrationCount(of user: String? = nil, endedSince: Timestamp? = nil) throws(DatabaseError) -> Int {
    let select = "SELECT count(*) FROM registration WHERE"
    // The condition of the partial indices, where it is enough.
    let current = "ended IS NULL"
    let row =
      switch (user, endedSince) {
      case (let user?, let since?):
        try row("\(select) \(Self.listed) AND user_id = :user", ["since": DatabaseValue(since), "user": .text(user)])
      case (nil, let since?): try row("\(select) \(Self.listed)", ["since": DatabaseValue(since)])
      case (let user?, nil): try row("\(select) \(current) AND user_id = :user", ["user": .text(user)])
      case (nil, nil): try row("\(select) \(current)")
      }
    return Int(row?.integer(0) ?? 0)
  }

  /// The number of registrations that the user of one has in other apps or on other devices.
  func registrationCount(besides registration: Registration) throws(DatabaseError) -> Int {
    let row = try row(
      """
      SELECT count(*) FROM registration WHERE ended IS NULL AND user_id = :user AND id <> :id
        AND NOT (app_id = :app AND device_tag = :tag)
      """,
      [
        "user": .text(registration.userId), "id": .text(registration.id), "app": .text(registration.appId),
        "tag": .text(registration.deviceTag),
      ])
    return Int(row?.integer(0) ?? 0)
  }

  func hasRegistrations(of user: String, endedSince: Timestamp?) throws(DatabaseError) -> Bool {
    try row(
      "SELECT 1 FROM registration WHERE user_id = :user AND (end_reason <> 'left' OR \(Self.listed)) LIMIT 1",
      ["user": .text(user), "since": Self.value(since: endedSince)]) != nil
  }

  /// The users with a registration whose device may be rooted, sorted.
  package func usersWithFlaggedRegistrations() throws(DatabaseError) -> [String] {
    try rows(
      """
      SELECT DISTINCT user_id FROM registration
      WHERE ended IS NULL AND flagged = 1 ORDER BY user_id
      """
    ).compactMap { $0.text(0) }
  }

  /// Adds a registration, or lets one that has ended go on. Ends the one that the account has in the same app on the same
  /// device, and returns its id. Operations that block the user in the app target the new one.
  @discardableResult
  func enroll(_ registration: Registration) throws(DatabaseError) -> String? {
    try takeTurn(of: registration.userId)
    let replaced = try row(
      """
      UPDATE registration SET ended = :now, end_reason = 'replaced' WHERE ended IS NULL AND id <> :id
        AND tenant_id = :tenant AND user_id = :user AND app_id = :app AND device_tag = :tag
      RETURNING id
      """,
      [
        "now": DatabaseValue(registration.lastSync), "id": .text(registration.id),
        "tenant": .text(registration.tenantId), "user": .text(registration.userId), "app": .text(registration.appId),
        "tag": .text(registration.deviceTag),
      ])
    try run(
      """
      INSERT INTO registration (\(Registration.columns), flagged) VALUES (
        :id, :secretHash, :tenant, :user, :app, :tag, :facts, :applied, :etag, :revision, :created, :lastSync, NULL,
        NULL, :flagged)
      ON CONFLICT (id) DO UPDATE SET app_id = excluded.app_id, device_tag = excluded.device_tag,
        facts = excluded.facts, flagged = excluded.flagged, applied = excluded.applied, etag = excluded.etag,
        last_sync = excluded.last_sync, ended = NULL, end_reason = NULL
      """,
      [
        "id": .text(registration.id), "secretHash": .bytes(registration.secretHash),
        "tenant": .text(registration.tenantId), "user": .text(registration.userId), "app": .text(registration.appId),
        "tag": .text(registration.deviceTag), "facts": .text(registration.facts.members.jsonText),
        "applied": .text(registration.applied.stored), "etag": DatabaseValue(registration.etag),
        "revision": .integer(registration.revision), "created": DatabaseValue(registration.created),
        "lastSync": DatabaseValue(registration.lastSync), "flagged": .integer(registration.facts.isJailbroken ? 1 : 0),
      ])
    try targetBlocks(registration)
    if replaced != nil { try forgetReplaced(of: registration.userId) }
    return replaced?.text(0)
  }

  /// Deletes the oldest of the registrations that were replaced, without operations, if a user has too many of them.
  private func forgetReplaced(of user: String) throws(DatabaseError) {
    try run(
      """
      DELETE FROM registration WHERE user_id = :user AND end_reason = 'replaced' AND ended < (
          SELECT ended FROM registration WHERE user_id = :user AND end_reason = 'replaced'
          ORDER BY ended DESC LIMIT 1 OFFSET \(Registration.mostReplaced))
        AND NOT EXISTS (SELECT 1 FROM operation_target WHERE registration_id = registration.id)
      """, ["user": .text(user)])
  }

  /// Notes a check-in of a registration, ended or not. `etag` is `nil` if nothing was delivered. Returns the revision,
  /// how many operations the registration has to carry out, and the hold of wipes, with the same statement, because each one
  /// costs a round trip to the database; `nil` for an unknown registration.
  @discardableResult
  func noteCheckIn(
    of id: String, facts: RegistrationFacts, applied: [PolicyVersion], etag: String?, at time: Timestamp
  ) throws(DatabaseError) -> (revision: Int64, pendingCount: Int64, hold: StoredHold?)? {
    try row(
      """
      UPDATE registration SET facts = :facts, flagged = :flagged, applied = :applied,
        etag = coalesce(CAST(:etag AS TEXT), etag), last_sync = :time
      WHERE id = :id
      RETURNING revision, (
        SELECT count(*) FROM operation_target WHERE registration_id = registration.id AND state = 'pending'),
        \(StoredHold.subqueries)
      """,
      [
        "facts": .text(facts.members.jsonText), "flagged": .integer(facts.isJailbroken ? 1 : 0),
        "applied": .text(applied.stored), "etag": DatabaseValue(etag), "time": DatabaseValue(time), "id": .text(id),
      ]
    ).map { ($0.integer(0) ?? 0, $0.integer(1) ?? 0, StoredHold($0, from: 2)) }
  }

  /// Ends a registration that leaves; one that has ended for another reason leaves, too.
  func end(_ id: String, at time: Timestamp) throws(DatabaseError) {
    try run(
      "UPDATE registration SET ended = coalesce(ended, :time), end_reason = 'left' WHERE id = :id",
      ["time": DatabaseValue(time), "id": .text(id)])
  }

  /// Ends registrations that were last seen before `time`. Returns how many.
  func endUnseen(before time: Timestamp, at now: Timestamp) throws(DatabaseError) -> Int {
    try run(
      "UPDATE registration SET ended = :now, end_reason = 'unseen' WHERE ended IS NULL AND last_sync < :time",
      ["now": DatabaseValue(now), "time": DatabaseValue(time)])
  }
}
