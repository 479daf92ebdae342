import Model
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Policy

@Suite(.timeLimit(.minutes(5))) struct VerboseLogTests {
  private let fixture = LogFixture()
  private let verbose = VerboseLog()

  init() { fixture.log.configure(verbose: true, keysToScrub: []) }

  @Test("Adding a verbose line builds no text and touches no disk; lines are written later, in order")
  func later() throws {
    let made = Lock(0)
    for number in 0..<3 {
      let isFirst = verbose.add(.policy, at: fixture.clock.now) {
        made.withLock { $0 += 1 }
        return "line \(number)"
      }
      #expect(isFirst == (number == 0))
      fixture.clock.advance(byMilliseconds: 1000)
    }
    #expect(made.withLock { $0 } == 0)
    #expect(readFile(fixture.current) == nil)
    verbose.write(to: fixture.log)
    let entries = try fixture.log.query(LogQuery(limit: 10, order: .oldest))
    #expect(entries.map(\.message) == ["line 0", "line 1", "line 2"])
    #expect(entries.map { $0.time.milliseconds - entries[0].time.milliseconds } == [0, 1000, 2000])
    #expect(verbose.add(.policy, at: fixture.clock.now) { "again" })
  }

  @Test("Reading the log first writes the verbose lines that were added before")
  func read() throws {
    let log = DiagnosticsLog(
      folder: fixture.folder.file("other"), now: { [clock = fixture.clock] in clock.now }, salt: LogFixture.salt,
      knownNames: { KnownNames([]) },
      reportFailure: { _ in }, pending: verbose)
    log.configure(verbose: true, keysToScrub: [])
    _ = verbose.add(.policy, at: fixture.clock.now) { "first" }
    #expect(try log.query(LogQuery(limit: 9)).map(\.message) == ["first"])
    _ = verbose.add(.policy, at: fixture.clock.now) { "second" }
    let lines = try log.openForReading().map { String(decoding: readFile($0.path) ?? [], as: UTF8.self) }
    #expect(lines.joined().contains("second"))
  }

  @Test("A postponed write of verbose lines loses none of them, and the next line starts another write")
  func postponed() throws {
    #expect(verbose.isSettled)
    #expect(verbose.add(.policy, at: fixture.clock.now) { "first" })
    verbose.postpone()
    #expect(!verbose.isSettled)
    #expect(verbose.add(.policy, at: fixture.clock.now) { "second" })
    verbose.write(to: fixture.log)
    #expect(verbose.isSettled)
    #expect(try fixture.messages() == ["first", "second"])
  }

  @Test("A verbose line about a decision shows the value in the policy of the account that decided")
  func otherAccount() throws {
    let fixture = CoreFixture()
    let core = try fixture.core("VerboseLoggingEnabled=true", tenant: .sample)
    let (alice, bob) = (AccountReference("alice@contoso.example"), AccountReference("bob@contoso.example"))
    _ = try core.checkIns.registerAndEnroll(alice)
    let answer = TracedAnswer(Decision(false, .settingDecides, .saveAsBlocked, alice))
    core.trace("question", .success(answer), about: EffectiveIdentity(bob, .named), in: core.state)
    let lines = try core.refresh().log.query(LogQuery(text: "question", limit: 99)).map(\.message)
    #expect(lines.count == 1 && lines[0].contains("saveAsBlocked true"), "\(lines)")
  }

  @Test("More than 4,096 pending verbose lines are dropped and counted")
  func dropped() throws {
    for _ in 0..<5000 { _ = verbose.add(.policy, at: fixture.clock.now) { "line" } }
    verbose.write(to: fixture.log)
    let messages = try fixture.messages()
    #expect(messages.count == 4097)
    #expect(messages.last == "904 verbose lines came too fast and were dropped")
  }
}
