import Glibc
import JSON
import TestSupport
import Testing

/// A sanitizer's own memory says nothing about the program's.
private let isSanitized = getenv("TSAN_OPTIONS") != nil || getenv("ASAN_OPTIONS") != nil

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct LimitFlagTests {
  private static let version = "versionInfo.sdkVersion"
  private let program = Program()

  @Test("--limit sets limits, initialize reports them, and messages over a limit get error -32004")
  func flags() throws {
    let server = try program.start(["--limit", "message=500", "--limit", "nesting=3", "--limit", "batch=1"])
    let limits = try server.ask("initialize")["result"]?["limits"]
    #expect(limits?["message"] == 500)
    #expect(limits?["nesting"] == 3)
    #expect(limits?["batch"] == 1)
    #expect(limits?["values"] == 1_000_000)
    #expect(limits?["progressToken"] == 1024)
    for (text, name) in [(String(repeating: "x", count: 501), "message"), ("[[[[", "nesting"), ("[1,2]", "batch")] {
      server.write(text + "\n")
      let error = try JSONValue(parsing: server.readLine())["error"]
      #expect(error?["code"] == -32004)
      #expect(error?["data"]?["limit"] == .string(name))
      #expect((error?["data"]?["hint"]?.stringValue?.contains("file.write") ?? false) == (name == "message"))
    }
    #expect(try server.ask(Self.version)["result"] == "21.7.1")
  }

  @Test("A server with --limit connections=1 accepts a connection")
  func connections() throws {
    let unix = "unix://" + program.folder.file("run/bridge")
    let server = try program.start(["--listen", unix, "--limit", "connections=1"])
    _ = try server.readErrorLine()
    let call = ["call", "--connect", unix, Self.version]
    #expect(try Program.run(call).status == 0)
    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
  }

  @Test(
    "An unknown limit or a value out of range in --limit exits with 64",
    arguments: ["", "message", "message=", "message=0", "message=x", "nesting=1025", "size=1", "id=5", "batch=-1"])
  func wrong(_ flag: String) throws {
    let outcome = try Program.run(["--limit", flag])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--limit"))
    #expect(outcome.output == "")
  }

  @Test("A line of 200 MB gets one error, and the server's memory stays bounded", arguments: [64 << 20, 1 << 20])
  func longLine(_ limit: Int) throws {
    let server = try program.start(["--limit", "message=\(limit)"])
    #expect(try server.ask(Self.version)["result"] == "21.7.1")
    let piece = String(repeating: "x", count: 1 << 20)
    for _ in 0..<200 { server.write(piece) }
    #expect(try JSONValue(parsing: server.readLine())["error"]?["data"]?["limit"] == "message")
    server.write("\n")
    #expect(try server.ask(Self.version)["result"] == "21.7.1")
    #expect(isSanitized || server.peakMemory < 2 * limit + 64 << 20)
  }

  @Test("JSON nested 200,000 deep gets an error, with and without Content-Length", arguments: [false, true])
  func deep(_ withHeaders: Bool) throws {
    let deep = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
    let messages = [deep, request(Self.version)]
    let input = messages.map { withHeaders ? "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" : $0 + "\n" }.joined()
    let output = try program.serve(input).output
    #expect(output.contains(#""limit":"nesting","value":512"#))
    #expect(output.contains(#"{"jsonrpc":"2.0","id":1,"result":"21.7.1"}"#))
  }

  @Test("200,000 requests before the first reply is read lose no reply and take less than 64 MB")
  func unread() throws {
    let lines = (0..<200_000).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"\#(Self.version)"}"# + "\n" }
    let input = program.folder.write(lines.joined(), to: "in")
    let command = ["-c", #"exec "$@" <"$0""#, input, Program.path] + program.options
    let server = try Subprocess("/bin/sh", command)
    for id in 0..<199_999 {
      let line = try server.readLine()
      guard line == #"{"jsonrpc":"2.0","id":\#(id),"result":"21.7.1"}"# else {
        Issue.record("reply \(id) is \(line)")
        return
      }
    }
    #expect(isSanitized || server.peakMemory < 64 << 20)
    #expect(try server.wait().lines.count == 1)
  }
}
