import Database
import Support

/// Keeps maintenance from believing a clock that jumped.
///
/// If maintenance last ran more than a day ago, or later than now, nothing is ended, deleted or canceled until the
/// service has run for 24 hours, or until another clock confirms the time. By then, the hosts that are in use have
/// checked in by the new time. The store keeps all of this, so that replicas and restarts share it.
package struct MaintenanceGuard: Hashable, Sendable {
  /// When maintenance last ran; `nil` if it never did.
  private(set) var ran: Timestamp?
  /// How long the service has run since the jump, in milliseconds; `nil` if nothing is held back.
  private(set) var heldFor: Int64?
  /// When the clock last jumped, by the time after the jump. Stays when maintenance goes on.
  package private(set) var alarm: Timestamp?

  package var isHeld: Bool { heldFor != nil }

  /// In milliseconds.
  static let longestGap = CivilDate.millisecondsPerDay
  static let holdTime = CivilDate.millisecondsPerDay
  package static let tolerance: Int64 = 300_000

  /// What one process knows about a run of maintenance.
  package struct Run: Hashable, Sendable {
    package var time: Timestamp
    /// How long the process has been running since its last run, in milliseconds; 0 for its first run.
    package var uptime: Int64
    /// Whether the process has seen the clock jump since its last run.
    package var sawJump: Bool
    /// Whether another clock, such as the identity provider's, confirms the time.
    package var isConfirmed: Bool

    package init(at time: Timestamp, uptime: Int64 = 0, sawJump: Bool = false, isConfirmed: Bool = false) {
      (self.time, self.uptime, self.sawJump, self.isConfirmed) = (time, uptime, sawJump, isConfirmed)
    }
  }

  /// Returns whether the clock has jumped. `isEmpty` says whether the store has nothing that could end.
  mutating func begin(_ run: Run, isEmpty: Bool) -> Bool {
    defer { ran = run.time }
    guard let ran else {
      // A program that kept no time was here before, nobody knows when.
      if !isEmpty { heldFor = 0 }
      if run.isConfirmed { heldFor = nil }
      return false
    }
    let gap = run.time.milliseconds(since: ran)
    let hasJumped = run.sawJump || gap > Self.longestGap || gap < -Self.tolerance
    if hasJumped {
      (alarm, heldFor) = (run.time, 0)
    } else {
      heldFor = heldFor.map { $0 + min(max(0, gap), max(0, run.uptime)) }
    }
    if run.isConfirmed || heldFor.map({ $0 >= Self.holdTime }) ?? false { heldFor = nil }
    return hasJumped
  }
}

extension DatabaseSession {
  /// Locks the record until the transaction ends, so that replicas maintain one after the other.
  func maintenanceGuard() throws(DatabaseError) -> MaintenanceGuard {
    try run(
      """
      INSERT INTO meta (key, value) VALUES ('maintenanceTurn', '1')
      ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT)
      """)
    return MaintenanceGuard(
      ran: try metaNumber("maintained").map(Timestamp.init(milliseconds:)),
      heldFor: try metaNumber("maintenanceHeldFor"),
      alarm: try metaNumber("clockAlarm").map(Timestamp.init(milliseconds:)))
  }

  func save(_ guarding: MaintenanceGuard) throws(DatabaseError) {
    try setMeta("maintained", guarding.ran?.milliseconds)
    try setMeta("maintenanceHeldFor", guarding.heldFor)
    try setMeta("clockAlarm", guarding.alarm?.milliseconds)
  }

  private func metaNumber(_ key: String) throws(DatabaseError) -> Int64? {
    try row("SELECT value FROM meta WHERE key = :key", ["key": .text(key)])?.text(0).flatMap { Int64($0) }
  }

  /// `nil` removes the value.
  private func setMeta(_ key: String, _ number: Int64?) throws(DatabaseError) {
    guard let number else {
      try run("DELETE FROM meta WHERE key = :key", ["key": .text(key)])
      return
    }
    try run(
      "INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      ["key": .text(key), "value": .text(String(number))])
  }
}
