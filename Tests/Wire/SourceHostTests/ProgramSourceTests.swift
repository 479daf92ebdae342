import Glibc
import JSON
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Policy
@testable import SourceHost
@testable import Tenancy

/// A program that does as it should.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct ProgramSourceTests {
  @Test(
    "A delivered answer has the user, the policies, the defaults and the time of the next check-in"
  )
  func delivered() async throws {
    let more = #"""
      ,"etag":"e1","nextCheckIn":90,"policies":[{"@odata.type":"#microsoft.graph.iosManagedAppProtection","id":"T_1",
       "version":"3","pinRequired":true,"apps":[{"mobileAppIdentifier":{"bundleId":"com.other"}}],"assignments":[]}],
       "hiddenDefaults":[{"@odata.type":"#microsoft.graph.defaultManagedAppProtection","id":"G_1","customSettings":[]}],
       "configurations":[{"@odata.type":"#microsoft.graph.targetedManagedAppConfiguration","id":"A_1",
        "customSettings":[{"name":"a","value":"b"}]}],
       "operations":[{"id":"o1","type":"wipe"},{"id":"o2","type":"later"}]
      """#.filter { $0 != "\n" }
    let program = FakeProgram(FakeProgram.open + FakeProgram.outcome(2, "delivered", more))
    let news = try #require(try await program.news())
    #expect(news.etag == "e1")
    #expect(news.nextCheckIn == .seconds(90))
    #expect(!news.isUnchanged)
    let user = try #require(news.tenant.users.first)
    #expect(user.id == FakeProgram.userId)
    #expect(user.isEnabled)
    #expect(user.isLicensed)
    #expect(news.tenant.tenantId == FakeProgram.tenantId)
    let targeting = news.tenant.targeting(of: user, app: "com.example.host", platform: .ios)
    #expect(targeting.policies.map(\.id) == ["T_1"])
    #expect(targeting.defaults.map(\.id) == ["G_1"])
    #expect(targeting.configurations.map(\.id) == ["A_1"])
    #expect(news.tenant.operations.map(\.id) == ["o1"])
    #expect(news.tenant.warnings.count == 1)
    program.source.end()
  }

  @Test(
    "Each outcome of source.checkIn says whether the user is known, enabled, deleted and licensed",
    arguments: [
      ("notModified", 1, true, true), ("userUnknown", 0, true, true), ("userDisabled", 1, false, true),
      ("userDeleted", 1, false, true), ("notLicensed", 1, true, false),
    ])
  func outcome(_ outcome: String, _ users: Int, _ isEnabled: Bool, _ isLicensed: Bool) async throws {
    let program = FakeProgram(FakeProgram.open + FakeProgram.outcome(2, outcome))
    let news = try #require(try await program.news())
    #expect(news.tenant.users.count == users)
    #expect(news.isUnchanged == (outcome == "notModified"))
    #expect(news.tenant.users.allSatisfy { $0.isEnabled == isEnabled && $0.isLicensed == isLicensed })
    #expect(news.tenant.users.contains(where: \.isDeleted) == (outcome == "userDeleted"))
    program.source.end()
  }

  @Test("A source program gets version and language in source.open, and account and token in source.checkIn")
  func requests() async throws {
    let program = FakeProgram(
      #"read l; echo "$l" >open; echo '{"jsonrpc":"2.0","id":1,"result":{"name":"t","protocolVersion":1}}';"#
        + #"read l; echo "$l" >checkIn; echo '{"jsonrpc":"2.0","id":2,"result":{"outcome":"userUnknown"}}';"#)
    #expect(try await program.news() != nil)
    let open = try JSONValue(parsing: program.written("open"))
    #expect(open["method"]?.stringValue == "source.open")
    #expect(open["params"]?["protocolVersion"]?.integerValue == 1)
    #expect(open["params"]?["locale"]?.stringValue == "en")
    let checkIn = try JSONValue(parsing: program.written("checkIn"))["params"]
    #expect(checkIn?["reason"]?.stringValue == "enroll")
    #expect(checkIn?["token"]?.stringValue == "t.o-k_en")
    #expect(checkIn?["registration"]?["secret"]?.stringValue?.count == 44)
    #expect(checkIn?["account"]?["identity"]?.stringValue == "alice@contoso.example")
    #expect(checkIn?["app"]?["id"]?.stringValue == "com.example.host")
    #expect(checkIn?["device"]?["platform"]?.stringValue == "ios")
    #expect(checkIn?["device"]?["tag"]?.stringValue == "t")
    #expect(checkIn?["device"]?["name"]?.stringValue == "host")
    program.source.end()
  }

  @Test("A source program answers several check-ins and ends with the bridge")
  func life() async throws {
    let script =
      "echo $$ >pid; " + FakeProgram.open + FakeProgram.outcome(2, "userUnknown")
      + FakeProgram.outcome(3, "userUnknown")
    let program = FakeProgram(script)
    for _ in 1...2 { #expect(try await program.news() != nil) }
    let process = try #require(pid_t(program.written("pid").filter { $0 != "\n" }))
    #expect(kill(process, 0) == 0)
    program.source.end()
    #expect(kill(process, 0) != 0)
    #expect(try await program.fault()?.kind == .late)
  }

  @Test("An idle source program ends, and is started again at once when it is needed")
  func idle() async throws {
    let script = "echo start >>starts; " + FakeProgram.open + FakeProgram.outcome(2, "userUnknown")
    let program = FakeProgram(script, idleTime: .milliseconds(1))
    for count in 1...2 {
      #expect(try await program.news() != nil)
      await expectEventually(count) { program.listener.all.count { $0.contains("has ended") } }
    }
    #expect(program.written("starts") == "start\nstart\n")
    program.source.end()
  }

  @Test("A source program can report changes and write to the log, and an unwanted prompt is refused")
  func unasked() async throws {
    let script =
      FakeProgram.open
      + #"echo '{"jsonrpc":"2.0","method":"source.didChange","params":{"account":{"identity":"a@b"},"spread":5}}';"#
      + #"echo '{"jsonrpc":"2.0","method":"source.didChange"}'; echo careful >&2;"#
      + #"echo '{"jsonrpc":"2.0","id":"p","method":"source.prompt","params":{"verificationUri":"https://x","userCode":"C"}}';"#
      + "read l; read l; echo \"$l\" >answer; "
      + #"echo '{"jsonrpc":"2.0","id":2,"result":{"outcome":"userUnknown"}}';"#
    let program = FakeProgram(script)
    #expect(try await program.news() != nil)
    let heard = program.listener.all.filter { !$0.hasPrefix("says") }
    #expect(heard == ["changed a@b 5", "changed all 0"])
    #expect(await eventually { program.listener.all.contains("says careful") })
    #expect(program.written("answer").contains(#""id":"p""#) || program.written("answer").contains("source.checkIn"))
    program.source.end()
  }

  private static let pushing =
    "echo start >>starts; "
    + #"read l; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"push":true}}';"#
    + "read l; echo \"$l\" >>watched; "

  private func registrations(_ ids: String...) throws -> [SourceRegistration] {
    try ids.map { SourceRegistration(id: $0, secret: try .random(count: 32)) }
  }

  @Test("A source program that can push runs as long as there are registrations to watch")
  func watch() async throws {
    let program = FakeProgram(
      Self.pushing + #"echo '{"jsonrpc":"2.0","id":2,"result":null}';"# + "read l; echo \"$l\" >>watched; "
        + #"echo '{"jsonrpc":"2.0","id":3,"result":null}';"#, idleTime: .milliseconds(1))
    program.source.watch(try registrations("a", "b"))
    #expect(await eventually { program.written("watched").hasSuffix("\n") })
    let first = try JSONValue(parsing: program.written("watched"))
    #expect(first["method"]?.stringValue == "source.watch")
    let watched = first["params"]?["registrations"]?.arrayValue ?? []
    #expect(watched.compactMap { $0["id"]?.stringValue } == ["a", "b"])
    #expect(watched.allSatisfy { $0["secret"]?.stringValue?.count == 44 })
    program.source.watch([])
    #expect(await eventually { program.listener.all.contains { $0.contains("has ended") } })
    #expect(program.written("starts") == "start\n")
    #expect(program.written("watched").hasSuffix(#""registrations":[]}}"# + "\n"))
    program.source.end()
  }

  @Test("A source program that dies while it watches is started again and gets source.watch again")
  func watchAgain() async throws {
    let program = FakeProgram(Self.pushing + "exit 1;")
    program.source.watch(try registrations("a"))
    #expect(await eventually { program.written("watched").split(separator: "\n").count >= 2 })
    program.source.end()
  }

  /// Answers check-ins, and only writes other requests down.
  private static let onlyCheckIns =
    #"read l; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"push":true}}'; while read l; do "#
    + #"case "$l" in *source.checkIn*) i=${l#*\"id\":}; "#
    + #"echo '{"jsonrpc":"2.0","id":'"${i%%,*}"',"result":{"outcome":"userUnknown"}}';; "#
    + #"*source.watch*) echo "$l" >>watched;; esac; done;"#

  @Test("A check-in does not wait for the answer to source.watch")
  func watchWithoutAnswer() async throws {
    let program = FakeProgram(Self.onlyCheckIns)
    program.source.watch(try registrations("a"))
    let start = ContinuousClock.now
    #expect(try await program.news() != nil)
    #expect(start.duration(to: .now) < .seconds(30))
    #expect(await eventually { program.written("watched").hasSuffix("\n") })
    program.source.end()
  }

  @Test("A source program that does not answer source.watch is asked again")
  func watchUntilAnswered() async throws {
    let program = FakeProgram(Self.onlyCheckIns, patience: .milliseconds(300))
    program.source.watch(try registrations("a"))
    #expect(await eventually { program.written("watched").split(separator: "\n").count >= 2 })
    #expect(program.listener.all.allSatisfy { !$0.contains("has ended") })
    program.source.end()
  }

  @Test("Calls of source.watch are sent one at a time, and outdated lists of registrations are skipped")
  func watchInOrder() async throws {
    let program = FakeProgram(
      Self.pushing + "until [ -e go ]; do sleep 0.02; done; "
        + #"echo '{"jsonrpc":"2.0","id":2,"result":null}'; read l; echo "$l" >>watched; "#)
    program.source.watch(try registrations("a"))
    #expect(await eventually { program.written("watched").hasSuffix("\n") })
    for id in ["b", "c"] { program.source.watch(try registrations(id)) }
    program.folder.write("", to: "go")
    await expectEventually(2) { program.written("watched").split(separator: "\n").count }
    #expect(program.written("watched").split(separator: "\n").last?.contains(#""id":"c""#) == true)
    program.source.end()
  }

  @Test("A source program that cannot push is not kept running")
  func watchWithoutPush() async throws {
    let program = FakeProgram(FakeProgram.open, idleTime: .milliseconds(1))
    program.source.watch(try registrations("a"))
    #expect(await eventually { program.listener.all.contains { $0.contains("has ended") } })
    program.source.end()
  }

  @Test("A source program can name the authority, resource and scopes of the tokens that it needs")
  func authentication() async throws {
    let program = FakeProgram(
      FakeProgram.answer(
        1,
        #""result":{"protocolVersion":1,"authentication":{"authority":"https://a","resource":"r","scopes":["s"]}}"#))
    #expect(program.source.knownAuthentication == nil)
    #expect(await program.source.authentication()?.scopes == ["s"])
    #expect(program.source.knownAuthentication?.resource == "r")
    program.source.end()
  }

  @Test("A report to a source is accepted if the source confirms it or no longer knows the registration")
  func reports() async throws {
    let script =
      FakeProgram.open + FakeProgram.answer(2, #""error":{"code":-32051,"message":"later"}"#)
      + FakeProgram.answer(3, #""result":null"#) + FakeProgram.answer(4, #""error":{"code":-32054,"message":"gone"}"#)
    let program = FakeProgram(script)
    let registration = SourceRegistration(id: "r", secret: try .random(count: 32))
    let report = SourceReport(registration: registration, operation: "o", time: Timestamp(milliseconds: 0))
    for isAccepted in [false, true, true] { #expect(await program.source.deliver(report) == isAccepted) }
    program.source.end()
  }

  @Test("A failed operation is reported only to a source that takes failures", arguments: [false, true])
  func failures(areTaken: Bool) async throws {
    let introduction = #""result":{"protocolVersion":1,"failures":\#(areTaken)}"#
    let accepts = #"read l && echo "$l" >asked && echo '{"jsonrpc":"2.0","id":2,"result":null}';"#
    let program = FakeProgram(FakeProgram.answer(1, introduction) + accepts)
    var report = SourceReport(
      registration: SourceRegistration(id: "r", secret: try .random(count: 32)), operation: "o",
      time: Timestamp(milliseconds: 0))
    report.failure = "1 item is left."
    #expect(await program.source.deliver(report))
    program.source.end()
    let asked = readFile(program.folder.file("asked")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let told = asked.contains(#""outcome":"failed","time":"1970-01-01T00:00:00.000Z","reason":"1 item is left.""#)
    #expect(told == areTaken)
    #expect(asked.isEmpty != areTaken)
  }
}
