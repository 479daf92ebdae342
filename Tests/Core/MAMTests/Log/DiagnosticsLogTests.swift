import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM

@Suite struct DiagnosticsLogTests {
  @Test("A log line is JSON with time and level first, in a file that only its owner can read")
  func layout() {
    let fixture = LogFixture()
    fixture.log.write(.info, .policy, "rule \(3) \"quoted\"\n\u{1}")
    let expected =
      #"{"time":"2026-01-31T09:30:00.000Z","level":"info","category":"policy","message":"#
      + #""rule 3 \"quoted\"\n\u0001"}"# + "\n"
    #expect(fixture.text == expected)
    var status = stat()
    #expect(stat(fixture.current, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test("Verbose log lines are built and written only if verbose logging is on")
  func verbose() throws {
    let fixture = LogFixture()
    let made = Lock(0)
    func message() -> LogMessage {
      made.withLock { $0 += 1 }
      return "detail"
    }
    fixture.log.write(.verbose, .policy, message())
    #expect(made.withLock { $0 } == 0)
    fixture.log.configure(verbose: true, keysToScrub: [])
    fixture.log.write(.verbose, .policy, message())
    #expect(try fixture.messages() == ["detail"])
  }

  @Test("Personal data in the log is a stable pseudonym, except in verbose lines")
  func personal() throws {
    let fixture = LogFixture()
    fixture.log.configure(verbose: true, keysToScrub: [])
    for level in LogLevel.allCases {
      fixture.log.write(level, .enrollment, "enrolled \(personal: "Alice@contoso.example")")
    }
    fixture.log.write(.info, .enrollment, "enrolled \(personal: AccountReference("alice@CONTOSO.example"))")
    let messages = try fixture.messages()
    #expect(messages[0] == "enrolled Alice@contoso.example")
    #expect(Set(messages[1...]).count == 1)
    #expect(messages[1].wholeMatch(of: /enrolled <user:[0-9a-f]{8}>/) != nil)
  }

  @Test("Values of keys to scrub become stars in all log lines, also verbose ones, and for subscribers")
  func values() throws {
    let fixture = LogFixture(identities: ["somebody"])
    let pushed = Lock<[String]>([])
    _ = fixture.log.subscribe(from: .verbose) { entry in pushed.withLock { $0.append(entry.message) } }
    fixture.log.configure(verbose: true, keysToScrub: ["", "api-key"])
    fixture.log.write(.info, .policy, "api-key=\(personal: "hunter2") api-\(public: "key: hunter2")")
    fixture.log.write(.verbose, .policy, #"{"api-key": "\#(public: "hunter2")"}"#)
    fixture.log.writeFromHost(.info, category: "api-key=hunter2", message: "has api-key=hunter2")
    let lines = ["api-key=*** api-key: ***", #"{"api-key": "***"}"#, "has api-key=***"]
    #expect(try fixture.messages() == lines)
    #expect(pushed.withLock { $0 } == lines)
    #expect(!fixture.text.contains("hunter2"))
  }

  @Test("A key to scrub also hides values in log lines that were written before it was set")
  func olderLines() throws {
    let fixture = LogFixture()
    fixture.log.writeFromHost(.info, category: nil, message: "apiKey=hunter2 from=host")
    fixture.log.configure(verbose: false, keysToScrub: ["apiKey"])
    let found = try fixture.log.query(LogQuery(limit: 9))
    #expect(found.map(\.message) == ["apiKey=*** from=host"])
    #expect(try fixture.log.query(LogQuery(text: "hunter2", limit: 9)).isEmpty)
    #expect(try fixture.log.query(LogQuery(text: "from=host", limit: 9)).count == 1)
    let scrubber = fixture.log.exportScrubber(names: [], keeping: [])
    #expect(scrubber.text("apiKey=hunter2") == "apiKey=***")
    #expect(scrubber.hidden("hunter2", of: "apiKey") == "***")
  }

  static let hostLines = [
    "alice@contoso.example signed in", "mailto:ALICE@contoso.example?", "x%20alice@contoso.example/y",
    "id=9188040D-6c67-4c5b-b112-36a304b66dad",
  ]

  @Test(
    "Identities that the core knows are replaced in log lines of the host, except verbose ones", arguments: hostLines)
  func hostIdentities(line: String) throws {
    let identities = ["alice@contoso.example", "9188040d-6c67-4c5b-b112-36a304b66dad", "y"]
    let fixture = LogFixture(identities: identities)
    fixture.log.configure(verbose: true, keysToScrub: [])
    fixture.log.writeFromHost(.warning, category: identities[0], message: line)
    fixture.log.write(.error, .policy, "\(public: line)")
    for identity in identities.dropLast() { #expect(!fixture.text.lowercased().contains(identity)) }
    #expect(try fixture.messages().allSatisfy { $0.contains("<user:") })
    fixture.log.writeFromHost(.verbose, category: nil, message: line)
    #expect(try fixture.messages().last == line)
  }

  @Test(
    "Mail addresses of unknown people are replaced in log lines like those of known people",
    arguments: [
      ("from mallory@contoso.example.", "from #."), ("<Mallory@contoso.example>", "<#>"),
      ("mailto:mallory@contoso.example?cc=mallory@contoso.example", "mailto:#?cc=#"),
      ("mallory@contoso.example@mallory@contoso.example", "#@#"),
      ("https://a.example/?u=mallory%40contoso.example&v=1%402", "https://a.example/?u=#&v=1%402"),
      ("swift-nio@2.10 @ @objc a@ a@1", nil),
    ])
  func unknownAddresses(_ line: String, _ written: String?) throws {
    let fixture = LogFixture(identities: ["alice@contoso.example"])
    fixture.log.writeFromHost(.info, category: nil, message: line)
    let pseudonym = Pseudonyms(salt: LogFixture.salt).name(for: "mallory@contoso.example")
    #expect(
      try fixture.messages() == [
        written?.split(separator: "#", omittingEmptySubsequences: false).joined(separator: pseudonym) ?? line
      ])
  }

  @Test("A known identity without @ is replaced only as a whole word")
  func shortIdentity() throws {
    let fixture = LogFixture(identities: ["al"])
    fixture.log.writeFromHost(.info, category: nil, message: "al, total")
    #expect(try fixture.messages()[0].wholeMatch(of: /<user:[0-9a-f]{8}>, total/) != nil)
  }

  @Test("A long log message is cut at a character boundary and stays one line")
  func longMessage() throws {
    let fixture = LogFixture()
    fixture.log.writeFromHost(.info, category: nil, message: String(repeating: "é\n", count: 100_000))
    let message = try #require(try fixture.messages().first)
    #expect(message.utf8.count <= 4096)
    #expect(message.hasSuffix("…"))
    #expect(!message.contains("\u{FFFD}"))
    #expect(fixture.text.split(separator: "\n").count == 1)
  }

  @Test("A log subscriber gets each line from its level up, until it unsubscribes")
  func subscribers() {
    let fixture = LogFixture()
    let seen = Lock<[String]>([])
    let subscription = fixture.log.subscribe(from: .warning) { entry in seen.withLock { $0.append(entry.message) } }
    fixture.log.write(.info, .policy, "one")
    fixture.log.write(.error, .policy, "two")
    fixture.log.unsubscribe(subscription)
    fixture.log.write(.error, .policy, "three")
    #expect(seen.withLock { $0 } == ["two"])
  }
}
