import Glibc
import JSON
import TestSupport
import Testing

/// A server that is stopped or hangs keeps nobody waiting without end.
@Suite(.timeLimit(.minutes(3)), .ownThreads) struct StoppedServerTests {
  private let program = Program()

  private func listen(_ address: String) throws -> (server: Subprocess, connect: [String]) {
    let server = try program.start(["--listen", address])
    let line = try JSONValue(parsing: server.readErrorLine())
    return (server, ["--connect", try #require(line["listening"]?.stringValue), "--state", program.state])
  }

  private var unix: String { "unix://" + program.folder.file("run/bridge") }

  @Test("Commands exit with 69 and say what to do if the server is stopped", arguments: [true, false])
  func stopped(_ isUnix: Bool) throws {
    let (server, connect) = try listen(isUnix ? unix : "tcp://127.0.0.1:0")
    defer { server.send(signal: SIGKILL) }
    server.send(signal: SIGSTOP)
    let commands = [["call", "versionInfo.sdkVersion"], ["explain", "policy.isPINRequired"], ["status"], ["log"]]
    for command in commands {
      let outcome = try Program.run(command + connect + ["--timeout", "0.5"])
      #expect(outcome.status == 69, "\(command)")
      #expect(outcome.output == "", "\(command)")
      #expect(outcome.errors.contains("stopped or busy"), "\(outcome.errors)")
      #expect(outcome.errors.contains("--timeout"), "\(outcome.errors)")
    }
    server.send(signal: SIGCONT)
    #expect(try Program.run(["call", "versionInfo.sdkVersion"] + connect).output == "\"21.7.1\"\n")
  }

  @Test("Without --timeout, call gives up on a stopped server after 10 s")
  func defaultLimit() throws {
    let (server, connect) = try listen(unix)
    defer { server.send(signal: SIGKILL) }
    server.send(signal: SIGSTOP)
    let outcome = try Program.run(["call", "versionInfo.sdkVersion"] + connect)
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("gave no answer within 10 s"))
  }

  @Test("call exits with 69 if the server accepts no connection within --timeout")
  func fullQueue() throws {
    let path = program.folder.file("full")
    let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(bound == 0)
    #expect(Glibc.listen(listener, 0) == 0)
    let call = ["call", "versionInfo.sdkVersion", "--connect", "unix://" + path, "--timeout", "0.5"]
    let first = try Program.run(call)
    #expect(first.status == 69)
    #expect(first.errors.contains("gave no answer within 0.5 s"))
    // The first connection is still in the queue, which has room for one.
    let second = try Program.run(call)
    #expect(second.status == 69, "\(second.errors)")
    #expect(second.errors.contains("accepted no connection within 0.5 s"), "\(second.errors)")
  }

  @Test("call exits with 69 if the answer takes longer than --timeout, with and without a server")
  func slowAnswer() throws {
    let (server, connect) = try listen(unix)
    defer { server.send(signal: SIGKILL) }
    let wait = ["call", "events.list", "waitMilliseconds=600000", "--timeout", "0.5"]
    let connected = try Program.run(wait + connect)
    #expect(connected.status == 69)
    #expect(connected.errors.contains("gave no answer within 0.5 s"))
    let here = try Program.run(
      ["call", "enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example", "--timeout", "0.5"]
        + ["--tenant", "exec:sleep 600", "--state", program.folder.file("other")])
    #expect(here.status == 69, "\(here)")
    #expect(here.errors.contains("no answer within 0.5 s"), "\(here)")
  }

  @Test("call waits for the server's answer even if the deadline in the request has passed")
  func negativeLimit() throws {
    let (server, connect) = try listen(unix)
    defer { server.send(signal: SIGKILL) }
    let outcome = try Program.run(
      ["call", "tenant.checkIn", #"{"_meta": {"timeoutMilliseconds": -100000}}"#] + connect)
    #expect(outcome.status != 69, "\(outcome)")
  }

  @Test("--timeout must be from 0.1 s to a day", arguments: ["0", "-1", "nan", "inf", "86401", "x"])
  func wrongLimit(_ limit: String) throws {
    let outcome = try Program.run(["call", "versionInfo.sdkVersion", "--timeout=\(limit)"])
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
  }
}
