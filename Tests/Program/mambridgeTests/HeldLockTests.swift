import Glibc
import JSON
import TestSupport
import Testing

/// A server of which somebody holds the lock of a file.
@Suite(.timeLimit(.minutes(5))) struct HeldLockTests {
  private let program = Program()
  private static let alice = "alice@contoso.example"

  @Test("Calls waiting for a locked file block neither other calls nor exit, and stop at their deadlines")
  func server() throws {
    let path = program.folder.write("text", to: "plan")
    chmod(program.folder.path, 0o755)
    chmod(path, 0o644)
    let server = try program.start()
    _ = try server.ask("initialize")
    _ = try server.ask("enrollmentManager.registerAndEnrollAccount", ["account": .string(Self.alice)])
    let holder = try LockingProcess(path, isOtherUser: LockingProcess.canBeOtherUser)
    for id in 1...8 {
      let meta: JSONValue = ["timeoutMilliseconds": .integer(id == 1 ? 300 : 60_000)]
      let params: JSONValue = ["path": .string(path), "flags": ["readWrite"], "_meta": meta]
      server.write(request("file.open", params, id: .integer(Int64(id))) + "\n")
    }
    server.write(request("file.isFileEncryptedAtPath", ["path": .string(path)], id: "free") + "\n")
    let start = ContinuousClock.now
    #expect(try JSONValue(parsing: server.readLine())["id"] == "free")
    let late = try JSONValue(parsing: server.readLine())
    #expect(late["id"] == 1)
    #expect(late["error"]?["code"] == -32003)
    server.write(#"{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 2}}"# + "\n")
    #expect(try JSONValue(parsing: server.readLine())["error"]?["code"] == -32800)
    #expect(start.duration(to: .now) < .seconds(5))
    for id in 3...8 {
      server.write(#"{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": \#(id)}}"# + "\n")
    }
    server.closeInput()
    #expect(try server.wait().status == 0)
    withExtendedLifetime(holder) {}
  }
}
