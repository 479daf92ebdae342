import Database
import Support

/// Something that must be traceable for a year.
package struct AuditEntry: Hashable, Sendable {
  package enum Action: String, CaseIterable, Sendable {
    case enroll, leave, replace, publish, hold, lift, accept, order, cancel, complete, read, refuse
    /// The clock has jumped, or maintenance goes on after that.
    case alarm
    /// An administrator has changed the tenant, or has tried to.
    case write
    /// A member of the tenant has changed; the outcome says from what to what.
    case edit
  }

  package var time: Timestamp
  /// The object id of a user; for a caller without one, the name of a claim and its text, as in `azp:reporting`; `folder`,
  /// `publish`, `accept` or `service` for the service itself; `uid:ID@HOST` for a command of the system's user.
  package var actor: String
  package var action: Action
  /// What it was done to, such as a registration or a path.
  package var subject: String
  package var outcome: String

  package init(_ time: Timestamp, _ actor: String, _ action: Action, _ subject: String, outcome: String = "done") {
    self.time = time
    self.actor = actor
    self.action = action
    self.subject = subject
    self.outcome = outcome
  }
}

extension DatabaseSession {
  package func append(_ entry: AuditEntry) throws(DatabaseError) {
    try run(
      """
      INSERT INTO audit (time, actor, action, subject, outcome) VALUES (:time, :actor, :action, :subject, :outcome)
      """,
      [
        "time": DatabaseValue(entry.time), "actor": .text(entry.actor), "action": .text(entry.action.rawValue),
        "subject": .text(entry.subject), "outcome": .text(entry.outcome),
      ])
  }

  /// A page of the entries, oldest first, with their numbers: those after `after`, and not from before `since`.
  package func auditEntries(
    after: Int64 = 0, since: Timestamp? = nil, limit: Int
  ) throws(DatabaseError) -> [(number: Int64, entry: AuditEntry)] {
    try rows(
      """
      SELECT seq, time, actor, action, subject, outcome FROM audit WHERE seq > :after AND time >= :since
      ORDER BY seq LIMIT :limit
      """,
      [
        "after": .integer(after), "since": DatabaseValue(since ?? .earliestText),
        "limit": .integer(Int64(max(0, limit))),
      ]
    ).compactMap { row in
      guard let action = row.text(3).flatMap(AuditEntry.Action.init(rawValue:)) else { return nil }
      let entry = AuditEntry(
        row.time(1) ?? .earliestText, row.text(2) ?? "", action, row.text(4) ?? "", outcome: row.text(5) ?? "")
      return (row.integer(0) ?? 0, entry)
    }
  }

  func deleteAudit(before time: Timestamp) throws(DatabaseError) {
    try run("DELETE FROM audit WHERE time < :time", ["time": DatabaseValue(time)])
  }
}
