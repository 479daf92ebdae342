import SQLite
import Support

/// The time of a state. It never runs back, and goes on while the machine runs, even if the machine's clock was set back.
///
/// Beside it, the state counts the time without jumps of the machine's clock. What destroys something after a length of
/// time measures that length in counted time, because a clock that was set proves nothing. Time that the machine was
/// switched off counts.
struct StateTime: Equatable, Sendable {
  private(set) var now: Timestamp
  /// The same as `now` until the machine's clock jumps.
  private(set) var counted: Timestamp
  /// What the machine's clock said, and how long the machine had been running; `nil` on a manual clock.
  private var clock: Timestamp
  private var uptime: Uptime?
  /// When the machine's clock last jumped, in counted time.
  private(set) var jumpedAt: Timestamp?

  /// A smaller difference is no jump, in milliseconds.
  static let tolerance: Int64 = 300_000

  /// The time of a state that a program left which did not count.
  init(_ now: Timestamp) {
    (self.now, counted, clock) = (now, now, now)
  }

  /// Lets time go on to what a clock says. Returns by how many milliseconds that clock was set since the last look;
  /// 0 if it was not.
  @discardableResult
  mutating func advance(to clock: Timestamp, _ uptime: Uptime?) -> Int64 {
    guard let uptime else {
      pass(max(0, clock.milliseconds(since: now)))
      (self.clock, self.uptime) = (now, nil)
      return 0
    }
    // Another process has looked later. Without the name of the start, the machine may have been started again.
    if let known = self.uptime, !known.boot.isEmpty, uptime.isEarlier(than: known) { return 0 }
    let shown = clock.milliseconds(since: self.clock)
    let passed = self.uptime.flatMap(uptime.since) ?? max(0, shown)
    let jump = shown - passed
    pass(passed)
    now = max(now, clock)
    (self.clock, self.uptime) = (clock, uptime)
    guard jump.magnitude >= Self.tolerance.magnitude else { return 0 }
    jumpedAt = counted
    return jump
  }

  /// What a jump of a manual clock does, forward by so many milliseconds: time that does not count.
  mutating func jump(by milliseconds: Int64) {
    now = now.advanced(by: milliseconds)
    (clock, jumpedAt) = (now, counted)
  }

  private mutating func pass(_ milliseconds: Int64) {
    now = now.advanced(by: milliseconds)
    counted = counted.advanced(by: milliseconds)
  }
}

extension Uptime {
  fileprivate func isEarlier(than other: Uptime) -> Bool { boot == other.boot && milliseconds < other.milliseconds }
}

extension StateTime {
  /// How far the state is ahead of the machine's clock, in milliseconds.
  func lead(over clock: Timestamp) -> Int64 { now.milliseconds(since: clock) }

  /// Whether all of a length of time in milliseconds has passed without a jump.
  func isUndisturbed(for milliseconds: Int64) -> Bool {
    jumpedAt.map { counted.milliseconds(since: $0) >= milliseconds } ?? true
  }
}

extension StateTime {
  /// The one record of an app's state.db.
  static let table = Table("clock", since: 14, blank: Entry(1, StateTime(Timestamp(milliseconds: 0)))) {
    entry, column in
    column("id", &entry.key, .key)
    entry.value.visit(&column)
  }

  /// Takes over the latest time of a program that did not count.
  static let migration = """
    INSERT INTO clock (id, now, counted, clock, boot, uptime, jumped_at)
    SELECT 1, CAST(value AS INTEGER), CAST(value AS INTEGER), CAST(value AS INTEGER), '', 0, 0
    FROM facts WHERE name = 'time';
    DELETE FROM facts WHERE name = 'time';
    """

  private mutating func visit(_ column: inout Columns) {
    column("now", &now)
    column("counted", &counted)
    column("clock", &clock)
    // An uptime of 0 is that of a manual clock.
    var (boot, milliseconds) = (uptime?.boot ?? "", uptime?.milliseconds ?? 0)
    column("boot", &boot)
    column("uptime", &milliseconds)
    uptime = milliseconds == 0 ? nil : Uptime(boot: boot, milliseconds: milliseconds)
    column("jumped_at", &jumpedAt)
  }
}

extension Connection {
  /// `nil` for a state that was never changed.
  var stateTime: StateTime? {
    get throws(SQLiteError) { try first(StateTime.table, "WHERE id = 1")?.value }
  }

  /// The time of the state by what a clock says now, and by how many milliseconds that clock was set.
  func time(by clock: Timestamp, _ uptime: Uptime?) throws(SQLiteError) -> (StateTime, jump: Int64) {
    guard var time = try stateTime else {
      var time = StateTime(clock)
      time.advance(to: clock, uptime)
      return (time, 0)
    }
    let jump = time.advance(to: clock, uptime)
    return (time, jump)
  }
}
