import Glibc
import JSON
import TestSupport
import Testing

/// What a program that starts the server as its child sees of a wipe.
@Suite("Wipes", .timeLimit(.minutes(5)))
struct WipeTests {
  private static let alice: JSONValue = "alice@contoso.example"
  private static let question = "policyDelegate.wipeDataForAccount"
  private static let events: JSONValue = [
    "policyManager.wipeDidComplete", "enrollmentDelegate.unenrollRequestWithStatus", "policyManager.policyDidChange",
    "appConfig.didChange",
  ]
  private let program = Program()

  /// A server with alice and a file of hers.
  private func start() throws -> Subprocess {
    let server = try program.start()
    _ = try server.ask("initialize", ["delegates": [.string(Self.question)]])
    #expect(try server.ask("enrollmentManager.registerAndEnrollAccount", ["account": Self.alice])["result"] != nil)
    let params: JSONValue = [
      "path": .string(path), "account": Self.alice, "flags": ["readWrite", "create"], "mode": 384,
    ]
    let handle = try #require(server.ask("file.create", params)["result"]?["handle"])
    _ = try server.ask("file.write", ["handle": handle, "data": "aGVsbG8="])
    _ = try server.ask("file.close", ["handle": handle])
    return server
  }

  private var path: String { program.folder.file("document") }

  private func wipe(_ server: Subprocess) throws -> JSONValue {
    server.write(
      request("enrollmentManager.deRegisterAndUnenrollAccount", ["account": Self.alice, "withWipe": true]) + "\n")
    let asked = try JSONValue(parsing: server.readLine())
    #expect(asked["method"] == .string(Self.question))
    #expect(asked["params"]?["identity"] == Self.alice)
    return asked["id"] ?? .null
  }

  private func told(_ server: Subprocess) throws -> [String] {
    let list = try server.ask("events.list", ["after": 0, "types": Self.events, "limit": 100])["result"]
    return list?["events"]?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
  }

  /// Of the enrollment before it, too.
  private static let order = [
    "policyManager.policyDidChange", "appConfig.didChange", "policyManager.wipeDidComplete",
    "enrollmentDelegate.unenrollRequestWithStatus", "policyManager.policyDidChange", "appConfig.didChange",
  ]

  @Test("A wipe asks the host, and deletes the files if the host answers false", arguments: [true, false])
  func answers(_ answer: Bool) throws {
    let server = try start()
    let id = try wipe(server)
    server.write(JSONValue.object(["jsonrpc": "2.0", "id": id, "result": .bool(answer)]).jsonText + "\n")
    #expect(try JSONValue(parsing: server.readLine())["result"]?["status"] == "unenrollmentSuccess")
    #expect((access(path, F_OK) == 0) == answer)
    #expect(try told(server) == Self.order)
  }

  @Test("If the server is killed while it asks the host about a wipe, the next server finishes the wipe")
  func killed() async throws {
    let server = try start()
    _ = try wipe(server)
    server.send(signal: SIGKILL)
    _ = try server.wait()
    #expect(access(path, F_OK) == 0)
    let next = try program.start()
    #expect(try next.ask("policy.isPINRequired")["result"] != nil)
    #expect(await eventually { (try? self.told(next)) == Self.order })
    #expect(access(path, F_OK) != 0)
    #expect(try next.ask("enrollmentManager.registeredAccounts")["result"] == [])
  }
}
