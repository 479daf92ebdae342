import Glibc
import JSON
import TestSupport
import Testing

/// A sanitizer's own memory says nothing about the program's.
private let isSanitized = getenv("TSAN_OPTIONS") != nil || getenv("ASAN_OPTIONS") != nil

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct LimitFlagTests {
  private static let version = "versionInfo.sdkVersion"
  private let program = Program()

  @Test("limits are set by flags, told by initialize, and hold")
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

  @Test("the number of connections is one of them")
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
    "a name that is none, or a value out of its range, is 64 and told",
    arguments: ["", "message", "message=", "message=0", "message=x", "nesting=1025", "size=1", "id=5", "batch=-1"])
  func wrong(_ flag: String) throws {
    let outcome = try Program.run(["--limit", flag])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--limit"))
    #expect(outcome.output == "")
  }

  @Test("a line of 200 MB is one error, and memory grows by no more than the limit", arguments: [64 << 20, 1 << 20])
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

  @Test("a nesting of 200,000 is one error, in both framings", arguments: [false, true])
  func deep(_ withHeaders: Bool) throws {
    let deep = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
    let messages = [deep, request(Self.version)]
    let input = messages.map { withHeaders ? "Content-Length: \($0.utf8.count)\r\n\r\n\($0)" : $0 + "\n" }.joined()
    let output = try program.serve(input).output
    #expect(output.contains(#""limit":"nesting","value":512"#))
    #expect(output.contains(#"{"jsonrpc":"2.0","id":1,"result":"21.7.1"}"#))
  }

  @Test("200,000 requests before a reply is read: memory stays under 64 MB, and no reply is lost")
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
