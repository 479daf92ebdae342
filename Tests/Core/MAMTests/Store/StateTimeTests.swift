import SQLite
import Support
import TestSupport
import Testing

@testable import MAM

/// The time of a state on a machine whose clock is set.
@Suite struct StateTimeTests {
  private static let start = Timestamp(milliseconds: 1_800_000_000_000)
  private static let day: Int64 = 86_400_000

  enum Step {
    case runs(Int64), jumps(Int64), isOff(Int64), forgetsBoots
  }

  /// What happened, in days, then how far time has moved and how much of it counts.
  static let lives: [([Step], now: Int64, counted: Int64)] = [
    ([.runs(91)], 91, 91),
    ([.isOff(91)], 91, 91),
    ([.jumps(91)], 91, 0),
    ([.jumps(91), .runs(90)], 181, 90),
    ([.runs(5), .jumps(91), .isOff(3)], 99, 8),
    // Set back: time goes on.
    ([.jumps(-91), .runs(10)], 10, 10),
    ([.jumps(91), .jumps(-91), .runs(10)], 101, 10),
    // Set back, then right again.
    ([.jumps(-91), .jumps(91), .runs(10)], 10, 10),
    ([.jumps(-91), .jumps(91)], 0, 0),
    // A machine without a battery starts in the past, and is then set right.
    ([.isOff(-20_000), .jumps(20_001), .runs(1)], 2, 1),
    ([.forgetsBoots, .runs(5), .jumps(91), .runs(1)], 97, 6),
    ([.forgetsBoots, .runs(5), .isOff(91)], 96, 96),
  ]

  @Test("State time never runs backward, and only time in which the clock ran counts", arguments: lives)
  func life(_ steps: [Step], now: Int64, counted: Int64) {
    let clock = MachineClock(startingAt: Self.start)
    var time = StateTime(clock.now)
    var last = time.now
    time.advance(to: clock.now, clock.uptime)
    for step in steps {
      switch step {
      case .runs(let days): clock.run(milliseconds: days * Self.day)
      case .jumps(let days): clock.jump(milliseconds: days * Self.day)
      case .isOff(let days): clock.switchOff(milliseconds: days * Self.day)
      case .forgetsBoots: clock.forgetBoots()
      }
      time.advance(to: clock.now, clock.uptime)
      #expect(time.now >= last)
      #expect(time.counted <= time.now)
      last = time.now
    }
    let days = { (moment: Timestamp) in moment.milliseconds(since: Self.start) / Self.day }
    #expect(days(time.now) == now)
    #expect(days(time.counted) == counted)
  }

  @Test("A clock jump is reported once; a step of less than 5 minutes is not a jump")
  func jumps() {
    let clock = MachineClock(startingAt: Self.start)
    var time = StateTime(clock.now)
    time.advance(to: clock.now, clock.uptime)
    clock.jump(milliseconds: 299_000)
    #expect(time.advance(to: clock.now, clock.uptime) == 0)
    clock.jump(milliseconds: -86_400_000)
    #expect(time.advance(to: clock.now, clock.uptime) == -86_400_000)
    clock.run(milliseconds: 5000)
    #expect(time.advance(to: clock.now, clock.uptime) == 0)
    #expect(!time.isUndisturbed(for: 6000))
    #expect(time.isUndisturbed(for: 5000))
    #expect(time.lead(over: clock.now) == 86_400_000)
  }

  @Test(
    "A step of the clock is a jump from five minutes on, in either direction",
    arguments: [(299_999, 0), (300_000, 300_000), (-299_999, 0), (-300_000, -300_000)] as [(Int64, Int64)])
  func boundary(_ step: Int64, _ expected: Int64) {
    let clock = MachineClock(startingAt: Self.start)
    var time = StateTime(clock.now)
    time.advance(to: clock.now, clock.uptime)
    clock.jump(milliseconds: step)
    #expect(time.advance(to: clock.now, clock.uptime) == expected)
  }

  @Test("A late update with an earlier clock reading does not change the state time")
  func late() {
    let clock = MachineClock(startingAt: Self.start)
    var time = StateTime(clock.now)
    time.advance(to: clock.now, clock.uptime)
    let early = (clock.now, clock.uptime)
    clock.run(milliseconds: 1000)
    time.advance(to: clock.now, clock.uptime)
    let known = time
    #expect(time.advance(to: early.0, early.1) == 0)
    #expect(time == known)
  }

  @Test("The time of a manual clock counts, and extreme clock values do not crash the process")
  func manual() {
    var time = StateTime(Self.start)
    time.advance(to: Self.start.advanced(by: 90 * Self.day), nil)
    #expect(time.counted == Self.start.advanced(by: 90 * Self.day))
    for moment in [Timestamp(milliseconds: .max), Timestamp(milliseconds: .min)] {
      time.advance(to: moment, Uptime(boot: "", milliseconds: .max))
      time.advance(to: moment, nil)
    }
  }

  @Test("A state of a version without counted time continues from its latest time")
  func migration() throws {
    let folder = TemporaryFolder()
    let connection = try Connection(path: folder.file("state.db"))
    try StateSchema.app.upTo(version: 13).apply(to: connection)
    try connection.run("INSERT INTO facts (name, value) VALUES ('time', '1800000000000'), ('salt', 'a')")
    try StateSchema.app.apply(to: connection)
    #expect(try connection.stateTime == StateTime(Self.start))
    #expect(try connection.fact("time") == nil)
    #expect(try connection.fact("salt") == "a")
  }
}
