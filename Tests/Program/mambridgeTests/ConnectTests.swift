import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct ConnectTests {
  /// A server on a free port, its address and its token file.
  private func listen(_ program: Program) throws -> (server: Subprocess, address: String, token: String) {
    let server = try program.start(["--listen", "tcp://127.0.0.1:0"])
    let line = try JSONValue(parsing: server.readErrorLine())
    return (
      server, try #require(line["listening"]?.stringValue), try #require(line["tokenFile"]?.stringValue)
    )
  }

  @Test("call --connect gives the same results and errors as call without a server")
  func connect() throws {
    let program = Program()
    let (server, address, token) = try listen(program)
    let connected = ["call", "--connect", address, "--token-file", token]
    let enrolled = try Program.run(
      connected + ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"])
    #expect(try JSONValue(parsing: enrolled.output)["statusCode"] == 100)
    #expect(try Program.run(connected + ["policy.isPINRequired"]).output == "true\n")
    #expect(try program.call("policy.isPINRequired").output == "true\n")

    let error = try Program.run(connected + ["policy.isPinRequired"])
    #expect(error.status == 1)
    #expect(error.error?["data"]?["hint"]?.stringValue?.contains("policy.isPINRequired") == true)

    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
  }

  @Test("shutdown over a connection ends the server with exit code 0")
  func shutdown() throws {
    let program = Program()
    let (server, address, _) = try listen(program)
    let outcome = try Program.run(["call", "--connect", address, "--state", program.state, "shutdown"])
    #expect(outcome == Subprocess.Outcome(status: 0, output: "null\n", errors: ""))
    #expect(try server.wait().status == 0)
  }

  @Test("Without --token-file, call --connect uses the token of its state folder and app ID")
  func ownToken() throws {
    let program = Program()
    let (server, address, _) = try listen(program)
    defer { server.send(signal: SIGKILL) }
    let own = try Program.run(["call", "--connect", address, "--state", program.state, "versionInfo.sdkVersion"])
    #expect(own == Subprocess.Outcome(status: 0, output: "\"21.7.1\"\n", errors: ""))
    let other = ["call", "--connect", address, "--state", program.state, "--app-id", "com.example.other"]
    let missing = try Program.run(other + ["versionInfo.sdkVersion"])
    #expect(missing.status == 69)
    #expect(missing.errors.contains("com.example.other/token"))
  }

  @Test("call --connect exits with 1 and prints error -32001 if the token is wrong")
  func wrongToken() throws {
    let program = Program()
    let (server, address, _) = try listen(program)
    defer { server.send(signal: SIGKILL) }
    let token = program.folder.write(String(repeating: "0", count: 64) + "\n", to: "token")
    chmod(token, 0o600)
    let outcome = try Program.run(["call", "--connect", address, "--token-file", token, "versionInfo.sdkVersion"])
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.error?["code"] == -32001)
  }

  @Test(
    "call --connect exits with 69 if it cannot use the address, read the token or connect",
    arguments: [
      ("tcp://127.0.0.1:1", true, "cannot connect"), ("tcp://127.0.0.1:1", false, "token"),
      ("tcp://192.0.2.1:99", true, "loopback"), ("127.0.0.1", true, "not an address"),
      ("unix:///missing/socket", false, "cannot connect"),
    ])
  func noServer(_ address: String, _ hasToken: Bool, _ reason: String) throws {
    let program = Program()
    let token = program.folder.file("token")
    if hasToken {
      program.folder.write(String(repeating: "0", count: 64) + "\n", to: "token")
      chmod(token, 0o600)
    }
    let outcome = try Program.run(["call", "--connect", address, "--token-file", token, "versionInfo.sdkVersion"])
    #expect(outcome.status == 69)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(reason))
  }

  @Test(
    "call --connect rejects an unsupported address without reading the token, and lists valid ones",
    arguments: [
      ("http://127.0.0.1:1", "For HTTP, use curl"), ("https://contoso.example", "For HTTP, use curl"),
      ("HTTP://localhost:80", "For HTTP, use curl"), ("127.0.0.1:80", "\"127.0.0.1:80\" is not an address"),
      ("ftp://127.0.0.1:1", "is not an address"), ("", "\"\" is not an address"),
    ])
  func unsupported(_ address: String, _ reason: String) throws {
    let program = Program()
    let outcome = try Program.run(
      ["call", "--connect", address, "--token-file", program.folder.file("missing"), "versionInfo.sdkVersion"])
    #expect(outcome.status == 69)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(reason))
    #expect(!outcome.errors.contains("token"))
    #expect(outcome.errors.contains("tcp://127.0.0.1:PORT and unix:///PATH can be used here"))
    #expect(!outcome.errors.contains("http://127.0.0.1:PORT"))
  }

  @Test(
    "serve exits with 69 if it cannot listen on an address",
    arguments: ["tcp://192.0.2.1:0", "nowhere", "tcp://127.0.0.1:99999", "unix:///", "unix:///missing/folder/s"])
  func cannotListen(_ address: String) throws {
    let outcome = try Program.run(Program().options + ["--listen", address])
    #expect(outcome.status == 69)
    #expect(outcome.output == "")
  }

  @Test("A server listens on several addresses and prints a line for each; a unix socket needs no token")
  func severalAddresses() throws {
    let program = Program()
    let unix = "unix://" + program.folder.file("run/bridge")
    let addresses = [unix, "http://127.0.0.1:0", "tcp://127.0.0.1:0"]
    let server = try program.start(addresses.flatMap { ["--listen", $0] })
    let lines = try (0..<3).map { _ in try JSONValue(parsing: server.readErrorLine()) }
    #expect(lines[0] == ["listening": .string(unix)])
    #expect(lines[1]["listening"]?.stringValue?.hasPrefix("http://127.0.0.1:") == true)
    #expect(lines[1]["tokenFile"] == lines[2]["tokenFile"])
    let enrolled = try Program.run(
      ["call", "--connect", unix, "enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"])
    #expect(try JSONValue(parsing: enrolled.output)["statusCode"] == 100)
    let tcp = try #require(lines[2]["listening"]?.stringValue)
    let token = try #require(lines[2]["tokenFile"]?.stringValue)
    let other = ["call", "--connect", tcp, "--token-file", token, "policy.isPINRequired"]
    #expect(try Program.run(other).output == "true\n")
    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
    #expect(access(program.folder.file("run/bridge"), F_OK) != 0)
  }

  @Test("A unix socket server prints no token file; a second server on the same socket exits with 69")
  func unixOnly() throws {
    let program = Program()
    let unix = "unix://" + program.folder.file("run/bridge")
    let server = try program.start(["--listen", unix])
    #expect(try JSONValue(parsing: server.readErrorLine()) == ["listening": .string(unix)])
    let second = try Program.run(program.options + ["--listen", unix])
    #expect(second.status == 69)
    #expect(second.errors.contains("another server"))
    #expect(try Program.run(["call", "--connect", unix, "versionInfo.sdkVersion"]).output == "\"21.7.1\"\n")
    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
  }
}
