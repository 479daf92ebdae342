import Glibc
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import SourceHost

/// What a program can do wrong, and what the bridge makes of it.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct SourceFaultTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let script: String
    let kind: SourceFault.Kind
    let text: String
    /// Only for programs that never answer.
    var patience = Duration.seconds(60)
  }

  static let rows = [
    Row(testDescription: "prints rubbish", script: "echo hello;", kind: .broken, text: "does not speak JSON-RPC"),
    Row(testDescription: "prints a number", script: "echo 5;", kind: .broken, text: "does not speak JSON-RPC"),
    Row(
      testDescription: "hangs", script: "cat >/dev/null;", kind: .late, text: "source.open",
      patience: .milliseconds(300)),
    Row(
      testDescription: "hangs at the check-in", script: FakeProgram.open, kind: .late, text: "source.checkIn",
      patience: .seconds(1)),
    Row(
      testDescription: "exits", script: "read l; echo no licence >&2; exit 3;", kind: .broken,
      text: "ended with status 3; its last words: no licence"),
    Row(
      testDescription: "is killed at the check-in", script: FakeProgram.open + "read l; kill -9 $$;", kind: .broken,
      text: "ended by signal 9"),
    Row(
      testDescription: "floods", script: #"yes '{"jsonrpc":"2.0","method":"x"}';"#, kind: .broken,
      text: "more than 1000 messages"),
    Row(
      testDescription: "forks a child that keeps its output open", script: "read l; sleep 1000 & exit 1;",
      kind: .broken, text: "ended with status 1"),
    Row(
      testDescription: "answers too much", script: "head -c 70000000 /dev/zero | tr '\\0' a;", kind: .broken,
      text: "more than 64 MiB"),
    Row(
      testDescription: "speaks a later protocol",
      script: FakeProgram.answer(1, #""result":{"name":"test","protocolVersion":2}"#), kind: .broken,
      text: "speaks version 2 of the protocol, but mambridge speaks version 1"),
    Row(
      testDescription: "does not open", script: FakeProgram.answer(1, #""error":{"code":-32601,"message":"no"}"#),
      kind: .broken, text: "error -32601: no"),
    Row(
      testDescription: "wants a token",
      script: FakeProgram.open + FakeProgram.answer(2, #""error":{"code":-32050,"message":"sign in"}"#),
      kind: .signInNeeded, text: "sign in"),
    Row(
      testDescription: "cannot reach its service",
      script: FakeProgram.open
        + FakeProgram.answer(2, #""error":{"code":-32051,"message":"503","data":{"retryAfter":7}}"#),
      kind: .unreachable, text: "503"),
    Row(
      testDescription: "is switched off",
      script: FakeProgram.open + FakeProgram.answer(2, #""error":{"code":-32052,"message":"off"}"#), kind: .disabled,
      text: "off"),
    Row(
      testDescription: "answers an outcome of a later version",
      script: FakeProgram.open + FakeProgram.outcome(2, "later"),
      kind: .broken, text: "outcome that mambridge does not know: later"),
    Row(
      testDescription: "answers without ids",
      script: FakeProgram.open + FakeProgram.answer(2, #""result":{"outcome":"delivered","user":{"id":"1"}}"#),
      kind: .broken, text: "not a GUID"),
    Row(
      testDescription: "answers in a later version",
      script: FakeProgram.open + FakeProgram.outcome(2, "delivered", #","policies":[],"version":2"#), kind: .broken,
      text: "version 2 of the messages, but mambridge knows version 1"),
    Row(
      testDescription: "answers in a version that is text",
      script: FakeProgram.open + FakeProgram.outcome(2, "notModified", #","version":"1""#), kind: .broken,
      text: #"version "1" of the messages"#),
    Row(
      testDescription: "answers operations that are no list",
      script: FakeProgram.open + FakeProgram.outcome(2, "notModified", #","operations":"wipe""#), kind: .broken,
      text: "operations: must be a list"),
    Row(
      testDescription: "answers allowed accounts that are no list",
      script: FakeProgram.open + FakeProgram.outcome(2, "delivered", #","policies":[],"allowedAccounts":"alice""#),
      kind: .broken, text: "allowedAccounts must be a list"),
  ]

  @Test("If a source program fails, the fault gives the reason", arguments: rows)
  func fault(_ row: Row) async throws {
    let program = FakeProgram(row.script, patience: row.patience)
    let fault = try #require(try await program.fault())
    #expect(fault.kind == row.kind, "\(fault)")
    #expect(fault.text.contains(row.text), "\(fault)")
    if row.kind == .unreachable { #expect(fault.retryAfter == .seconds(7)) }
    program.source.end()
  }

  private static let since = #""since":"1970-01-01T00:00:01Z""#

  @Test(
    "An error says about a hold what its data says; what is absent or cannot be read says nothing",
    arguments: [
      ("{}", HoldNews.nothing), (#"{"hold":null}"#, .lifted), (#"{"hold":{}}"#, .nothing),
      (#"{"hold":false}"#, .nothing),
      (#"{"hold":{"why":"x","since":"soon"}}"#, .nothing),
      (
        #"{"hold":{"why":"x",\#(since)}}"#,
        .held(SourceHold(WipeHold(why: "x", since: Timestamp(milliseconds: 1000)), isOrdered: false))
      ),
    ])
  func hold(data: String, news: HoldNews) async throws {
    let error = #""error":{"code":-32050,"message":"sign in","data":\#(data)}"#
    let program = FakeProgram(FakeProgram.open + FakeProgram.answer(2, error))
    let fault = try #require(try await program.fault())
    #expect(fault.kind == .signInNeeded)
    #expect(fault.hold == news)
    program.source.end()
  }

  @Test("A source program that cannot be started causes the fault cannotStart, which names the program")
  func cannotStart() async throws {
    let fault = try #require(try await FakeProgram(words: ["/nowhere/source"]).fault())
    #expect(fault.kind == .cannotStart, "\(fault)")
    #expect(fault.text.contains("/nowhere/source: No such file"), "\(fault)")
  }

  @Test("A source program that has failed is not started again at once")
  func backOff() async throws {
    let program = FakeProgram("echo start >>starts; exit 1;")
    let first = try #require(try await program.fault())
    #expect(first.retryAfter == nil)
    for _ in 1...3 {
      let next = try #require(try await program.fault())
      #expect(next.kind == .broken)
      #expect(next.retryAfter != nil)
      #expect(next.text == first.text)
    }
    #expect(program.written("starts") == "start\n")
  }

  @Test("A source program that does not end is killed together with its child processes")
  func killed() async throws {
    let folder = TemporaryFolder()
    let script = "trap '' TERM; sleep 1000 & echo $! >'\(folder.path)/child'; echo ready; while :; do sleep 1; done"
    let child = try SourceChild(["/bin/sh", "-c", script])
    var entry = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, -1)
    #expect(child.end(after: (.milliseconds(10), .milliseconds(10))) == "was ended by signal 9")
    let text = String(decoding: try FileContents.read(folder.file("child")), as: UTF8.self)
    let grandchild = try #require(pid_t(text.filter { $0 != "\n" }))
    #expect(await eventually { kill(grandchild, 0) != 0 || Self.isZombie(grandchild) })
  }

  private static func isZombie(_ process: pid_t) -> Bool {
    guard let status = try? FileContents.read("/proc/\(process)/stat") else { return true }
    return String(decoding: status, as: UTF8.self).contains(") Z ")
  }
}
