import Glibc
import JSON
import Support
import TestSupport
import Testing

@testable import Bridge

/// What a host and its bridge say to each other about a wipe.
@Suite("Wipes, as a host sees them", .timeLimit(.minutes(5)), .ownThreads)
struct WipeTests {
  private static let alice: JSONValue = .string(TestHost.alice)
  private static let unenroll = "enrollmentManager.deRegisterAndUnenrollAccount"
  private let server: TestHost
  private let host: EventHost

  init() throws {
    server = try TestHost(flags: ["MultiIdentity=false"], questionTimeout: .milliseconds(200))
    host = EventHost(server.bridge)
    _ = try host.call(
      "initialize",
      [
        "delegates": [.string(WipeDataForAccount.name), "policyDelegate.restartApplication"],
        "events": [.string(WipeDidComplete.name), .string(EventTypes.unenrollment), .string(EventTypes.policy)],
      ])
    let enrollment = host.send("enrollmentManager.registerAndEnrollAccount", ["account": Self.alice])
    host.answer(try host.nextQuestion(), ["result": true])
    #expect(try host.reply(to: enrollment)["result"]?["statusCode"] == 100)
    _ = try host.nextPush()
  }

  /// A file of alice's, with what it holds as plain text.
  private func makeFile(_ name: String = "document") throws -> String {
    let path = server.folder.file(name)
    let params: JSONValue = [
      "path": .string(path), "account": Self.alice, "flags": ["readWrite", "create"], "mode": 384,
    ]
    let handle = try #require(try host.call("file.create", params)["handle"])
    _ = try host.call("file.write", ["handle": handle, "data": "aGVsbG8="])
    _ = try host.call("file.close", ["handle": handle])
    return path
  }

  private func wipe(_ more: JSONObject = [:]) -> Int {
    var params: JSONObject = ["account": Self.alice, "withWipe": true]
    for member in more.members { params[member.name] = member.value }
    return host.send(Self.unenroll, .object(params))
  }

  private func expectTold() throws {
    let told = try host.pushes(3).compactMap { $0["type"]?.stringValue }
    #expect(told == [WipeDidComplete.name, EventTypes.unenrollment, EventTypes.policy])
    #expect(host.arrivedPushes().isEmpty)
  }

  @Test("A wipe deletes the account's files unless wipeDataForAccount returns true", arguments: [true, false])
  func answers(_ answer: Bool) throws {
    let path = try makeFile()
    let call = wipe()
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(WipeDataForAccount.name))
    #expect(question["params"]?["identity"] == Self.alice)
    let status = try server.call("tenant.status")["accounts"]?.arrayValue?.first
    #expect(status?["life"] == "wiping")
    #expect(access(path, F_OK) == 0)
    host.answer(question, ["result": .bool(answer)])
    #expect(try host.reply(to: call)["result"]?["statusCode"] == 104)
    #expect((access(path, F_OK) == 0) == answer)
    try expectTold()
  }

  @Test("If the host does not answer wipeDataForAccount in time, the wipe deletes the account's files")
  func never() throws {
    let path = try makeFile()
    let call = wipe()
    _ = try host.nextQuestion()
    #expect(try host.reply(to: call)["result"]?["statusCode"] == 104)
    #expect(access(path, F_OK) != 0)
    try expectTold()
  }

  @Test("Unenrolling without a wipe asks the host nothing and keeps the account's files")
  func withoutWipe() throws {
    let path = try makeFile()
    #expect(try host.call(Self.unenroll, ["account": Self.alice])["statusCode"] == 104)
    #expect(access(path, F_OK) == 0)
    #expect(try host.pushes(2).compactMap { $0["type"]?.stringValue } == [EventTypes.unenrollment, EventTypes.policy])
  }

  @Test("During wipeDataForAccount, the host can make calls, but can no longer use the account's data")
  func callsBack() throws {
    let protected = try host.call("dataProtectionManager.protectString", ["string": "text", "account": Self.alice])
    let call = wipe()
    let question = try host.nextQuestion()
    let read = host.send("dataProtectionManager.unprotectString", ["string": protected])
    #expect(try host.reply(to: read)["error"]?["code"] == 1103)
    let write = host.send("dataProtectionManager.protectString", ["string": "text", "account": Self.alice])
    #expect(try host.reply(to: write)["error"]?["code"] == 1102)
    #expect(try host.call("policy.isPINRequired", ["account": Self.alice]) == true)
    host.answer(question, ["result": false])
    #expect(try host.reply(to: call)["result"]?["statusCode"] == 104)
  }

  @Test("A wipe reports its progress in files, and a cancel after its commit point has no effect")
  func progress() throws {
    for number in 0..<3 { _ = try makeFile("document \(number)") }
    let call = wipe(["_meta": ["progressToken": "wipe"]])
    let question = try host.nextQuestion()
    host.notify("$/cancelRequest", ["id": .integer(Int64(call))])
    host.answer(question, ["result": false])
    #expect(try host.reply(to: call)["result"]?["statusCode"] == 104)
    let messages = host.arrivedPushes().filter { $0["method"] == "$/progress" }
    let told = messages.map { $0["params"]?["value"] ?? .null }
    let kinds = told.compactMap { $0["kind"]?.stringValue }
    #expect(kinds.first == "begin")
    #expect(kinds.last == "end")
    #expect(Set(kinds.dropFirst().dropLast()) == ["report"])
    let texts = told.compactMap { $0["message"]?.stringValue }
    #expect(texts.contains("2 of 3 files"))
    let percentages = told.compactMap { $0["percentage"]?.integerValue }
    #expect(percentages == percentages.sorted())
    #expect(percentages.last == 100)
  }
}
