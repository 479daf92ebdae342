import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClockTests {
  @Test("A manual clock moves only when it is advanced, and never backward")
  func manual() {
    let clock = ManualClock(startingAt: Timestamp(milliseconds: 1000))
    #expect(clock.now.milliseconds == 1000)
    clock.advance(byMilliseconds: 90 * 86_400_000)
    #expect(clock.now.milliseconds == 7_776_001_000)
    clock.advance(byMilliseconds: -5)
    #expect(clock.now.milliseconds == 7_776_001_000)
    clock.advance(byMilliseconds: .max)
    #expect(clock.now.milliseconds == .max)
  }

  @Test("The time since an earlier uptime is unknown after another start of the machine")
  func uptime() {
    let earlier = Uptime(boot: "a", milliseconds: 5000)
    #expect(Uptime(boot: "a", milliseconds: 7000).since(earlier) == 2000)
    #expect(Uptime(boot: "a", milliseconds: 4000).since(earlier) == 0)
    #expect(Uptime(boot: "b", milliseconds: 7000).since(earlier) == nil)
  }

  @Test("If the start of the machine has no name, a smaller uptime is one after another start")
  func namelessUptime() {
    let earlier = Uptime(boot: "a", milliseconds: 5000)
    #expect(Uptime(boot: "", milliseconds: 7000).since(earlier) == 2000)
    #expect(Uptime(boot: "", milliseconds: 4000).since(earlier) == nil)
  }

  @Test("The system clock is past January 1, 2025 and keeps moving")
  func system() throws {
    let clock = SystemClock()
    let start = clock.now
    #expect(try start > #require(Timestamp("2025-01-01T00:00:00Z")))
    while clock.now == start {}
    #expect(clock.now > start)
  }
}
