import Glibc
import JSON
import TestSupport
import Testing

@Suite("Without /proc, or with little memory", .timeLimit(.minutes(5)), .ownThreads) struct NarrowSystemTests {
  private let program = Program()

  /// The program behind a shell command in a mount namespace of its own.
  private func start(after preparation: String, _ arguments: [String]) throws -> Subprocess {
    try Subprocess(
      "/usr/bin/unshare", ["-m", "/bin/sh", "-c", preparation + #"; exec "$0" "$@""#, Program.path] + arguments)
  }

  @Test("Without /proc, the server reads its arguments and standard input", .ownMounts)
  func noProc() throws {
    let server = try start(after: "umount -l /proc", program.options + ["--set", "MAMPolicyRequired=true"])
    let answer = try server.ask("policy.isPINRequired", ["account": "alice@contoso.example"])
    #expect(answer["error"]?["code"] == 4001)
    #expect(access(program.state, F_OK) == 0)
    server.closeInput()
    #expect(try server.wait().status == 0)
  }

  @Test("Without /proc, call works, and an unknown option exits with 64", .ownMounts)
  func commandsWithoutProc() throws {
    let call = try start(after: "umount -l /proc", ["call"] + program.options + ["versionInfo.sdkVersion"])
    #expect(try call.wait() == Subprocess.Outcome(status: 0, output: "\"21.7.1\"\n", errors: ""))
    #expect(try start(after: "umount -l /proc", ["--nonsense"]).wait().status == 64)
  }

  @Test("Without /proc, diagnostics --export writes its archive", .ownMounts)
  func filesWithoutProc() throws {
    let path = program.folder.file("support.tar.gz")
    let arguments = ["diagnostics"] + program.options + ["--export", path]
    #expect(try start(after: "umount -l /proc", arguments).wait().status == 0)
    #expect(readFile(path)?.starts(with: [0x1F, 0x8B]) == true)
  }

  @Test("tcp://localhost listens on 127.0.0.1, whatever /etc/hosts says", .ownMounts)
  func forgedHosts() throws {
    let forged = program.folder.write("127.0.0.2 localhost\n", to: "hosts")
    let server = try start(
      after: "mount --bind '\(forged)' /etc/hosts", program.options + ["--listen", "tcp://localhost:0"])
    let address = try JSONValue(parsing: server.readErrorLine())["listening"]?.stringValue
    #expect(address?.hasPrefix("tcp://127.0.0.1:") == true)
    let port = try #require(address?.split(separator: ":").last.flatMap { Int($0) })
    #expect(throws: Never.self) { try RawConnection(port: port) }
  }

  @Test("A message that does not fit in memory gets error outOfMemory, and the server keeps running")
  func longMessage() throws {
    let server = try program.start()
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
    try limitMemory(of: server, toMoreBytes: 48 << 20)
    let text = String(repeating: "x", count: 60 << 20)
    for params in [#""\#(text)""#, "[" + String(repeating: "{},", count: 900_000) + "1]"] {
      server.write(#"{"jsonrpc":"2.0","id":7,"method":"versionInfo.sdkVersion","params":{"a":\#(params)}}"# + "\n")
      let error = try JSONValue(parsing: server.readLine())["error"]
      #expect(error?["code"] == -32603)
      #expect(error?["data"]?["name"] == "outOfMemory")
      #expect(error?["data"]?["retryable"] == true)
    }
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
  }

  @Test("After a Content-Length message that does not fit in memory, the server answers the next one")
  func longBody() throws {
    let server = try program.start()
    func send(_ message: String) { server.write("Content-Length: \(message.utf8.count)\r\n\r\n\(message)") }
    send(request("versionInfo.sdkVersion", id: 1))
    #expect(try server.readLine().hasPrefix("Content-Length"))
    try limitMemory(of: server, toMoreBytes: 32 << 20)
    send(request("versionInfo.sdkVersion", ["a": .string(String(repeating: "x", count: 60 << 20))], id: 2))
    send(request("versionInfo.sdkVersion", id: 3))
    server.closeInput()
    let outcome = try server.wait()
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("outOfMemory"))
    #expect(outcome.output.contains(#""id":3,"result":"21.7.1""#))
  }

  @Test("file.read returns outOfMemory and keeps its position if the bytes do not fit in memory")
  func fileRead() throws {
    let server = try program.start()
    _ = try server.ask("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    let path = program.folder.write(String(repeating: "x", count: 16 << 20), to: "file")
    let handle = try #require(try server.ask("file.open", ["path": .string(path)])["result"]?["handle"])
    try limitMemory(of: server, toMoreBytes: 48 << 20)
    let many = try server.ask("file.read", ["handle": handle, "count": .integer(16 << 20)])
    #expect(many["error"]?["data"]?["name"] == "outOfMemory")
    #expect(try server.ask("file.tell", ["handle": handle])["result"] == 0)
    #expect(try server.ask("file.read", ["handle": handle, "count": 4])["result"] == "eHh4eA==")
  }

  @Test("In a batch, replies that do not fit in memory become error outOfMemory")
  func batch() throws {
    let server = try program.start()
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
    try limitMemory(of: server, toMoreBytes: 32 << 20)
    let elements = (1...24).map { request("rpc.discover", id: .integer($0)) }
    server.write("[" + elements.joined(separator: ",") + "]\n")
    let replies = try #require(try JSONValue(parsing: server.readLine()).arrayValue)
    #expect(replies.count == 24)
    #expect(replies.first?["result"] != nil)
    #expect(replies.last?["id"] == 24)
    #expect(replies.last?["error"]?["data"]?["name"] == "outOfMemory")
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
  }

  private func limitMemory(of server: Subprocess, toMoreBytes more: Int) throws {
    let status = String(decoding: readFile("/proc/\(server.identifier)/status") ?? [], as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
    let kilobytes = try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    let limit = (kilobytes << 10) + more
    let outcome = try Subprocess.run("/usr/bin/prlimit", ["--pid", "\(server.identifier)", "--as=\(limit)"])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }
}

extension Trait where Self == ConditionTrait {
  fileprivate static var ownMounts: Self { .enabled(if: Privileges.canMount, "needs a mount namespace") }
}
