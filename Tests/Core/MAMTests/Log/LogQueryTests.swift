import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM

@Suite(.timeLimit(.minutes(5))) struct LogQueryTests {
  private let fixture: LogFixture

  init() {
    fixture = LogFixture()
    fixture.log.configure(verbose: true, keysToScrub: [])
    for (number, level) in LogLevel.allCases.enumerated() {
      fixture.log.write(level, number % 2 == 0 ? .policy : .store, "line \(number) of \"many\"")
      fixture.clock.advance(byMilliseconds: 1000)
    }
  }

  private static func second(_ number: Int) -> Timestamp? { Timestamp("2026-01-31T09:30:0\(number).000Z") }

  static let queries: [(LogQuery, [Int])] = [
    (LogQuery(), [3, 2, 1, 0]),
    (LogQuery(order: .oldest), [0, 1, 2, 3]),
    (LogQuery(limit: 2), [3, 2]),
    (LogQuery(limit: 2, order: .oldest), [0, 1]),
    (LogQuery(level: .warning), [3, 2]),
    (LogQuery(level: .verbose), [3, 2, 1, 0]),
    (LogQuery(since: second(1)), [3, 2, 1]),
    (LogQuery(until: second(1)), [1, 0]),
    (LogQuery(since: second(1), until: second(2)), [2, 1]),
    (LogQuery(category: .policy), [2, 0]),
    (LogQuery(category: "pol"), []),
    (LogQuery(text: "line 2"), [2]),
    (LogQuery(text: "\"many\""), [3, 2, 1, 0]),
    (LogQuery(text: "policy"), []),
    (LogQuery(text: "LINE"), []),
    (LogQuery(text: ""), [3, 2, 1, 0]),
    (LogQuery(level: .info, since: second(0), text: "line", category: .store), [3, 1]),
  ]

  @Test("A log query returns the lines that match all its conditions, in order", arguments: queries)
  func query(query: LogQuery, numbers: [Int]) throws {
    #expect(try fixture.messages(query) == numbers.map { "line \($0) of \"many\"" })
  }

  @Test("A log line names the request that caused it, and queries match only its category and message")
  func cause() throws {
    let cause = CallCause(method: "policyManager.message", id: Array(#""1,\"message\":\"x""#.utf8))
    CallContext.$current.withValue(CallContext(cause: cause)) { fixture.log.write(.error, .policy, "caused") }
    let entry = try #require(try fixture.log.query(LogQuery(limit: 1)).first)
    #expect(entry.cause == RequestCause(method: "policyManager.message", id: #"1,"message":"x"#))
    for text in ["caused", "d"] {
      #expect(try fixture.messages(LogQuery(text: text, category: .policy, limit: 1)) == ["caused"])
    }
    for text in ["x", "policyManager", "cause\""] { #expect(try fixture.messages(LogQuery(text: text)) == []) }
    #expect(try fixture.messages(LogQuery(text: "caused", category: .store)) == [])
  }

  @Test("A log entry has the time, level and category that were written")
  func entry() throws {
    let entry = try #require(try fixture.log.query(LogQuery(limit: 1)).first)
    #expect(entry.time == Self.second(3))
    #expect(entry.level == .error)
    #expect(entry.category == .store)
  }

  @Test("A log query skips torn and damaged lines, and finds a whole line after a torn one")
  func damaged() throws {
    let whole = String(fixture.text.split(separator: "\n")[0])
    let lines = [
      "not json", "", "{\"time\":\"", String(whole.dropLast(5)), String(whole.dropLast(5)) + whole,
      whole.replacing("many", with: "\\q"), whole.replacing("2026-01-31T09", with: "2026-99-99T09"),
      whole.replacing("verbose", with: "vvvvvvv"), "\u{0}\u{0}", whole,
    ]
    fixture.folder.write(lines.joined(separator: "\n"), to: "logs/intune.log")
    #expect(try fixture.messages().count == 2)
    #expect(try fixture.messages(LogQuery()).count == 2)
    #expect(try fixture.messages(LogQuery(text: "many")).count == 2)
  }

  @Test("A log query reads files and lines longer than a chunk completely, in both directions")
  func chunks() throws {
    let whole = String(fixture.text.split(separator: "\n")[0])
    let foreign = String(repeating: "x", count: 600_000)
    let lines = (0..<9000).map { whole.replacing("line 0", with: "line \($0)") }
    let text = lines[..<5000].joined(separator: "\n") + "\n\(foreign)\n" + lines[5000...].joined(separator: "\n") + "\n"
    fixture.folder.write(text, to: "logs/intune.log")
    let forwards = try fixture.messages()
    #expect(forwards == (0..<9000).map { "line \($0) of \"many\"" })
    #expect(try fixture.messages(LogQuery(limit: 10_000)) == forwards.reversed())
  }

  @Test("A missing log has no lines; querying an unreadable log fails with storeUnavailable")
  func missing() throws {
    #expect(try LogFixture().messages() == [])
    let other = LogFixture()
    other.folder.write("", to: "logs/x")
    #expect(symlinkLoop(other.current))
    #expect(throws: MAMError(.storeUnavailable, "")) { try other.log.query(LogQuery()) }
  }

  @Test("The limit of a log query is kept between 1 and 10,000")
  func limits() {
    #expect([LogLimit(0).count, LogLimit(5).count, LogLimit(20_000).count] == [1, 5, 10_000])
  }

  @Test("A log query leaves no file open")
  func descriptors() throws {
    _ = try fixture.messages()
    let before = openDescriptorCount()
    for _ in 0..<100 { _ = try fixture.messages() }
    #expect(openDescriptorCount() < before + 50)
  }
}

private func symlinkLoop(_ path: String) -> Bool { symlink(path, path) == 0 }
