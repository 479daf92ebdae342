import Glibc
import JSON
import TestSupport
import Testing

/// `log --follow` and `events --follow`, beside processes that write.
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct FollowTests {
  enum Source: CaseIterable { case state, server }

  private static let commands = ["log", "events"]
  private let program = Program()

  private func follow(_ command: String, _ options: [String] = []) throws -> Subprocess {
    try Subprocess(Program.path, [command, "--follow", "--json", "--state", program.state] + options)
  }

  /// Makes one line of the log, and at least one event.
  private func happen(_ name: String) throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=\(name)@contoso.example")
  }

  /// Reads until a line contains the text.
  private func waitFor(_ text: String, from process: Subprocess) throws {
    while !(try process.readLine().contains(text)) {}
  }

  @Test("log and events --follow print new lines and exit with 0 on a signal", arguments: commands, Source.allCases)
  func follows(_ command: String, _ source: Source) throws {
    try happen("bob")
    let unix = "unix://" + program.folder.file("run/bridge")
    let server = try program.start(["--listen", unix])
    _ = try server.readErrorLine()
    let process = try follow(command, source == .server ? ["--connect", unix] : [])
    try waitFor("icense", from: process)
    for name in ["carol", "dave"] {
      try happen(name)
      try waitFor(name == "carol" ? "accountNotLicensed" : "authRequired", from: process)
    }
    process.send(signal: command == "log" ? SIGINT : SIGTERM)
    let outcome = try process.wait()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  @Test("log and events --follow exit if their reader is gone, even while idle", arguments: commands, Source.allCases)
  func reader(_ command: String, _ source: Source) throws {
    try happen("bob")
    let unix = "unix://" + program.folder.file("run/bridge")
    let server = try program.start(["--listen", unix])
    _ = try server.readErrorLine()
    let options = source == .server ? ["--connect", unix] : []
    let script = #"set -o pipefail; "$0" "$@" | head -n 1"#
    let outcome = try Subprocess.run(
      "/bin/bash", ["-c", script, Program.path, command, "--follow", "--state", program.state] + options)
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1)
    #expect(outcome.errors == "")
    withExtendedLifetime(server) {}
  }

  @Test("log and events --follow exit on SIGTERM even if their output pipe is full", arguments: commands)
  func blocked(_ command: String) throws {
    let server = try program.start()
    if command == "log" {
      for _ in 0..<300 {
        let text = String(repeating: "x", count: 900)
        _ = try server.ask("diagnosticsLog.write", ["level": "info", "message": .string(text)])
      }
    } else {
      for _ in 0..<100 {
        for method in ["registerAndEnrollAccount", "deRegisterAndUnenrollAccount"] {
          _ = try server.ask("enrollmentManager.\(method)", ["account": "alice@contoso.example"])
        }
      }
    }
    let script = #""$0" "$@" | { read -r line; echo "$line"; exec sleep 60; } & echo $!; wait"#
    let arguments = [Program.path, command, "--follow", "-n", "1000", "--state", program.state]
    let shell = try Subprocess("/bin/bash", ["-mc", script] + arguments)
    _ = try (shell.readLine(), shell.readLine())
    // The pipe is full before the last line is printed.
    let find = #"pgrep -P "$0" -x mambridge"#
    let found = try Subprocess.run("/bin/sh", ["-c", find, String(shell.identifier)]).lines.compactMap { pid_t($0) }
    let process = try #require(found.first)
    kill(process, SIGTERM)
    #expect(eventuallyGone(process))
    shell.send(signal: SIGKILL)
  }

  private func eventuallyGone(_ process: pid_t) -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      let status = String(decoding: readFile("/proc/\(process)/stat") ?? [], as: UTF8.self)
      if status.isEmpty || status.contains(") Z ") { return true }
      usleep(5000)
    }
    return false
  }

  @Test("log and events --follow wait for a state that does not exist yet, and exit on SIGINT", arguments: commands)
  func waits(_ command: String) throws {
    let process = try follow(command)
    #expect(try process.readErrorLine().hasSuffix(". Waiting for it"))
    #expect(access(program.state, F_OK) != 0)
    try happen("alice")
    try waitFor("newPoliciesReceived", from: process)
    process.send(signal: SIGTERM)
    #expect(try process.wait().status == 0)

    let other = try Subprocess(Program.path, [command, "-f", "--state", program.folder.file("none")])
    _ = try other.readErrorLine()
    other.send(signal: SIGINT)
    #expect(try other.wait().status == 0)
  }

  @Test("log and events --follow continue after a wipe and if the state folder is replaced", arguments: commands)
  func replaced(_ command: String) throws {
    try happen("alice")
    let process = try follow(command)
    try waitFor("newPoliciesReceived", from: process)
    let params: JSONValue = ["account": "alice@contoso.example", "withWipe": true]
    _ = try program.call("enrollmentManager.deRegisterAndUnenrollAccount", params.jsonText)
    try waitFor("unenrollmentSuccess", from: process)
    #expect(rename(program.state, program.folder.file("old")) == 0)
    if command == "events" { #expect(try process.readErrorLine().contains("removed or renamed")) }
    try happen("carol")
    try waitFor("accountNotLicensed", from: process)
    process.send(signal: SIGTERM)
    #expect(try process.wait().status == 0)
  }

  @Test("log --follow loses no line when the log is rotated or removed", arguments: Source.allCases)
  func rotated(_ source: Source) throws {
    try happen("bob")
    let unix = "unix://" + program.folder.file("run/bridge")
    let server = try program.start(["--listen", unix])
    _ = try server.readErrorLine()
    let process = try follow("log", source == .server ? ["--connect", unix] : [])
    try waitFor("icense", from: process)
    let log = program.state + "/apps/com.example.host/logs/intune"
    let changes: [() -> Int32] = [
      { rename(log + ".log", log + ".1.log") }, { unlink(log + ".1.log") }, { unlink(log + ".log") },
    ]
    for (index, change) in changes.enumerated() {
      #expect(change() == 0)
      let text: JSONValue = ["level": "info", "message": .string("line \(index)")]
      _ = try program.call("diagnosticsLog.write", text.jsonText)
      #expect(try process.readLine().contains("line \(index)\""))
    }
    process.send(signal: SIGTERM)
    #expect(try process.wait().status == 0)
  }

  @Test("log and events --follow exit with 69 if the server closes the connection", arguments: commands)
  func serverEnds(_ command: String) throws {
    try happen("bob")
    let unix = "unix://" + program.folder.file("run/bridge")
    let server = try program.start(["--listen", unix])
    _ = try server.readErrorLine()
    let process = try follow(command, ["--connect", unix])
    _ = try process.readLine()
    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
    let outcome = try process.wait()
    #expect(outcome.status == 69)
    #expect(outcome.errors == "mambridge: the server closed the connection\n")
  }

  @Test("log --follow starts with the last 10 lines; --level and --type select what is printed")
  func selected() throws {
    let server = try program.start()
    for number in 1...20 {
      _ = try server.ask("diagnosticsLog.write", ["level": "warning", "message": .string("old \(number)")])
    }
    let log = try follow("log", ["--level", "warning"])
    #expect(try log.readLine().contains("old 11\""))
    _ = try server.ask("diagnosticsLog.write", ["level": "info", "message": "quiet"])
    _ = try server.ask("diagnosticsLog.write", ["level": "error", "message": "loud"])
    for _ in 12...20 { #expect(try log.readLine().contains("old ")) }
    #expect(try log.readLine().contains("loud"))

    let events = try follow("events", ["--type", "appConfig"])
    _ = try server.ask("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    #expect(try events.readLine().hasPrefix(#"{"type":"appConfig.didChange""#))
    for process in [log, events] {
      process.send(signal: SIGTERM)
      #expect(try process.wait().status == 0)
    }
  }

  @Test("log and events --follow fit the terminal width, and exit with 0 on Ctrl-C", arguments: commands)
  func keyboard(_ command: String) throws {
    try happen("bob")
    let screen = try TerminalProgram(
      Program.path, [command, "-f", "--state", program.state], columns: 40, environment: ["NO_COLOR": "1"])
    try screen.waitFor("licensedNotTargeted")
    try happen("dave")
    try screen.waitFor("in tenant.json.")
    screen.pressControlC()
    let (status, text) = try screen.wait()
    #expect(status == 0)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 40 })
  }
}
