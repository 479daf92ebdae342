import Glibc
import JSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct EndOfLifeTests {
  private static let version = "versionInfo.sdkVersion"
  private let program = Program()

  /// A server that watches a process of the test.
  private func watching() throws -> (server: Subprocess, host: Subprocess) {
    let (server, host) = (try program.start(), try Subprocess("/bin/cat"))
    let info = try server.ask("initialize", ["processId": .integer(Int64(host.identifier))])
    #expect(info["result"]?["name"] == "mambridge")
    return (server, host)
  }

  @Test("The server ends when the process that initialize named dies, even if its input is still open")
  func hostDies() throws {
    let (server, host) = try watching()
    host.send(signal: SIGKILL)
    #expect(try server.wait() == Subprocess.Outcome(status: 0, output: "", errors: ""))
  }

  @Test("The server answers and saves all requests that the watched process wrote before it died")
  func hostDiesBusy() throws {
    let (server, host) = try watching()
    let enroll = request("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"], id: 0)
    let lines = (1...2000).map { request(Self.version, [:], id: .integer($0)) }
    server.write(([enroll] + lines).joined(separator: "\n") + "\n")
    host.send(signal: SIGKILL)
    let outcome = try server.wait()
    #expect(outcome.status == 0)
    #expect(Set(outcome.replies.compactMap { $0["id"]?.integerValue }) == Set(0...2000))
    #expect(try program.call("policy.isPINRequired").output == "true\n")
  }

  @Test("initialize says if it cannot see the process to watch, and the server keeps running")
  func invisibleHost() throws {
    for process: JSONValue in [.integer(Int64(Int32.max)), 0x3FFF_FFF0, 0, -1, 0xFFFF_FFFF_FFFF] {
      let server = try program.start()
      let hint = try server.ask("initialize", ["processId": process])["result"]?["hint"]?.stringValue
      #expect(hint?.hasPrefix("process \(process.jsonText) is not watched: no such process is visible") == true)
      #expect(try server.ask(Self.version)["result"] == "21.7.1")
      server.closeInput()
      #expect(try server.wait().status == 0)
    }
  }

  @Test("initialize watches no process in another namespace", .enabled(if: Privileges.canMount, "needs a namespace"))
  func otherNamespace() throws {
    let server = try Subprocess(
      "/usr/bin/unshare", ["-p", "-f", "--mount-proc", Program.path] + program.options)
    let initialized = try server.ask("initialize", ["processId": .integer(Int64(getpid()))])
    #expect(initialized["result"]?["hint"]?.stringValue?.contains("PID namespace") == true)
    #expect(try server.ask(Self.version)["result"] == "21.7.1")
    server.closeInput()
    #expect(try server.wait().status == 0)
  }

  @Test("initialize returns no hint if it can watch the process")
  func visibleHost() throws {
    let server = try program.start()
    let initialized = try server.ask("initialize", ["processId": .integer(Int64(getpid()))])
    #expect(initialized["result"]?["name"] == "mambridge")
    #expect(initialized["result"]?["hint"] == .null)
  }

  @Test("A waiting events.list returns when the host dies or the server gets SIGTERM", arguments: [true, false])
  func waitingList(_ dies: Bool) throws {
    let (server, host) = try watching()
    server.write(request("events.list", ["waitMilliseconds": 600_000], id: 2) + "\n")
    #expect(try server.ask(Self.version)["result"] == "21.7.1")
    if dies { host.send(signal: SIGKILL) } else { server.send(signal: SIGTERM) }
    let outcome = try server.wait()
    #expect(outcome.status == 0)
    #expect(outcome.replies.map { $0["id"] } == [2])
    #expect(outcome.replies.first?["result"]?["events"] == [])
  }

  @Test("The server exits with 0, not with SIGPIPE, if the reader of its output is gone")
  func brokenPipe() throws {
    let enroll = request("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    let lines = ((1...5000).map { request(Self.version, [:], id: .integer($0)) } + [enroll]).joined(separator: "\n")
    program.folder.write(lines + "\n", to: "in")
    let command = #"{ "$@" <"$0"; echo $? >&2; } | head -n 1"#
    let arguments = ["-c", command, program.folder.file("in"), Program.path] + program.options
    let outcome = try Subprocess.run("/bin/sh", arguments)
    #expect(outcome.errors == "0\n")
    #expect(outcome.replies.first?["result"] == "21.7.1")
  }

  @Test("A second signal ends the server at once with 128 plus its number", arguments: [SIGTERM, SIGINT, SIGHUP])
  func secondSignal(_ number: Int32) throws {
    let server = try program.start(["--limit", "output=1000"])
    server.write((1...200).map { request("rpc.discover", [:], id: .integer($0)) + "\n" }.joined())
    #expect(try server.readLine().contains("openrpc"))
    // Replies that nobody reads keep it alive behind the first signal.
    server.send(signal: number)
    #expect(kill(server.identifier, 0) == 0)
    while server.isRunning { server.send(signal: number) }
    #expect(try server.wait().status == 128 + number)
  }

  @Test("SIGHUP ends the server with exit code 0; under nohup the server keeps running")
  func hangUp() throws {
    let server = try program.start()
    #expect(try server.ask(Self.version)["result"] == "21.7.1")
    server.send(signal: SIGHUP)
    #expect(try server.wait().status == 0)

    let arguments = ["-c", "trap '' HUP; exec \"$0\" \"$@\"", Program.path] + program.options
    let kept = try Subprocess("/bin/sh", arguments)
    #expect(try kept.ask(Self.version)["result"] == "21.7.1")
    kept.send(signal: SIGHUP)
    #expect(try kept.ask(Self.version)["result"] == "21.7.1")
    kept.send(signal: SIGTERM)
    #expect(try kept.wait().status == 0)
  }

  @Test("--help lists the exit codes", arguments: [["--help"], ["serve", "--help"]])
  func documented(_ arguments: [String]) throws {
    let text = try Program.run(arguments).output
    for code in ["0 ", "64", "69", "74", "75", "78", "129", "130", "143"] { #expect(text.contains(code)) }
  }
}

@Suite(.ownThreads) struct VanishedFolderTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]
  private static let enroll = "enrollmentManager.registerAndEnrollAccount"
  private static let unenroll = "enrollmentManager.deRegisterAndUnenrollAccount"
  private let program = Program()
  private var away: String { program.folder.file("away") }

  private func enrolledServer() throws -> Subprocess {
    let server = try program.start()
    #expect(try server.ask(Self.enroll, Self.alice)["result"]?["statusCode"] == 100)
    return server
  }

  private func expectGone(_ server: Subprocess) throws {
    for method in [Self.unenroll, "tenant.checkIn", "events.list", "enrollmentManager.enrolledAccounts"] {
      let error = try server.ask(method, method == Self.unenroll ? Self.alice : [:])["error"]
      #expect(error?["code"] == 6001, "\(method)")
      #expect(error?["data"]?["path"] == .string(program.state))
      #expect(error?["data"]?["hint"]?.stringValue?.contains("Put the folder back") == true)
    }
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
    #expect(access(program.state, F_OK) != 0)
  }

  @Test("The server returns error 6001 while its state folder is gone, and loses no account")
  func putBack() throws {
    let server = try enrolledServer()
    rename(program.state, away)
    try expectGone(server)
    rename(away, program.state)
    #expect(try server.ask("policy.isPINRequired")["result"] == true)
    #expect(try server.ask(Self.enroll, Self.alice)["result"]?["statusCode"] == 208)
    #expect(try server.ask(Self.unenroll, Self.alice)["result"]?["statusCode"] == 104)
    #expect(try program.call("enrollmentManager.registeredAccounts").output == "[]\n")
  }

  @Test("If an empty folder replaces its state folder, the server starts over without accounts")
  func madeAnew() throws {
    let server = try enrolledServer()
    rename(program.state, away)
    try expectGone(server)
    mkdir(program.state, 0o700)
    #expect(try server.ask("enrollmentManager.enrolledAccounts")["result"] == [])
    #expect(try server.ask(Self.enroll, Self.alice)["result"]?["statusCode"] == 100)
    let params: JSONValue = ["string": "secret", "account": "alice@contoso.example"]
    let protected = try #require(try server.ask("dataProtectionManager.protectString", params)["result"])
    #expect(try server.ask("dataProtectionManager.unprotectString", ["string": protected])["result"] == "secret")
    #expect(try program.call("policy.isPINRequired").output == "true\n")
  }

  @Test("If another state folder replaces its own, the server uses the new one from the next call")
  func replaced() throws {
    let server = try enrolledServer()
    rename(program.state, away)
    #expect(try program.call("enrollmentManager.registeredAccounts").output == "[]\n")
    #expect(try server.ask(Self.enroll, ["account": "carol@contoso.example"])["result"]?["didSucceed"] == false)
    #expect(try server.ask("policy.isPINRequired")["result"] == false)
  }
}
