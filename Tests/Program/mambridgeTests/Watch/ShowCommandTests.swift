import Glibc
import JSON
import TestSupport
import Testing

@testable import mambridge

/// `status`, `log` and `events` as they are typed.
@Suite(.ownThreads) struct ShowCommandTests {
  static let commands = ["status", "log", "events"]
  private let program = Program()

  private func enroll(_ name: String = "alice") throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=\(name)@contoso.example")
  }

  private func show(_ arguments: String...) throws -> Subprocess.Outcome {
    try Program.run(arguments + ["--state", program.state])
  }

  /// Names and bytes of all that is in the state.
  private func contents() throws -> String {
    let script = #"cd "$0" && find . -type f | sort | xargs sha256sum"#
    return try Subprocess.run("/bin/sh", ["-c", script, program.state]).output
  }

  @Test("status shows accounts, verdicts and next check-ins, and says what is wrong")
  func status() throws {
    try enroll()
    try enroll("dave")
    let outcome = try show("status", "--tenant", "sample")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(!outcome.output.contains("\u{1B}"))
    #expect(outcome.lines.contains("State     \(program.state)"))
    #expect(outcome.lines.contains("Launch    asks"))
    #expect(outcome.lines.contains { $0.hasPrefix("alice@contoso.example  enrolled  asks     ") })
    #expect(outcome.lines.contains { $0.hasPrefix("dave@contoso.example   blocked   -        ") })
    #expect(outcome.output.contains("\nalice@contoso.example: The user has no PIN yet"))
    #expect(outcome.output.contains("\ndave@contoso.example: authRequired (203). The user's account is disabled."))
    #expect(try show("status").output.contains("not checked; --tenant names their source"))

    let json = try JSONValue(parsing: show("status", "--tenant", "sample", "--json").output)
    #expect(json["accounts"]?.arrayValue?.compactMap { $0["verdict"] } == ["block", .null])
    #expect(json["accounts"]?.arrayValue?.compactMap { $0["asks"] } == [true, false])
    #expect(json["asks"] == true)
    #expect(json["launch"]?["verdict"] == "block")
    #expect(json["sourceError"]?.isNull == true)
  }

  @Test("log prints lines of all processes, oldest first, and selects by --level, --since and --lines")
  func log() throws {
    for (level, message) in [("info", "one"), ("warning", "two\u{1B}[2J"), ("error", "three")] {
      let params = JSONValue.object(["level": .string(level), "message": .string(message)])
      _ = try program.call("diagnosticsLog.write", params.jsonText)
    }
    let whole = try show("log")
    #expect(whole.status == 0)
    #expect(whole.errors == "")
    #expect(
      whole.lines.map { String($0.dropFirst(21)) } == [
        "info    host: one", "warning host: twoU+1B[2J", "error   host: three",
      ])
    let cases: [([String], Int)] = [
      (["--level", "warning"], 2), (["--level", "error"], 1), (["--lines", "2"], 2), (["-n", "1"], 1),
      (["--since", "1h"], 3), (["--since", "2999-01-01"], 0), (["--since", "1h", "--level", "error"], 1),
    ]
    for (options, count) in cases {
      let outcome = try Program.run(["log", "--state", program.state] + options)
      #expect(outcome.status == 0, "\(options)")
      #expect(outcome.lines == whole.lines.suffix(count), "\(options)")
    }
    let json = try show("log", "--json", "-n", "2")
    #expect(json.replies.map { $0["level"] } == ["warning", "error"])
    #expect(json.lines.count == 2)
    #expect(json.replies.last?.objectValue?.names == ["time", "level", "category", "message", "cause"])
  }

  @Test("log still prints its lines if the database is damaged, and reports error 6004")
  func damaged() throws {
    try enroll()
    let whole = try show("log")
    let database = program.state + "/apps/com.example.host/state.db"
    unlink(database + "-wal")
    _ = program.folder.write("no database", to: "state/apps/com.example.host/state.db")
    let outcome = try show("log")
    #expect(outcome.status == 0)
    #expect(outcome.output == whole.output)
    #expect(!whole.lines.isEmpty)
    #expect(outcome.errors.hasPrefix("mambridge: error 6004, "))
    #expect(outcome.errors.hasSuffix("The log can still be read\n"))
    for command in ["status", "events"] {
      let outcome = try show(command)
      #expect(outcome.status == 1)
      #expect(outcome.output == "")
      #expect(outcome.errors.hasPrefix("mambridge: error 6004, "))
    }
  }

  @Test("events prints events, oldest first, and selects by --type and --lines")
  func events() throws {
    try enroll()
    let whole = try show("events", "--json")
    #expect(whole.status == 0)
    #expect(whole.errors == "")
    #expect(whole.replies.map { $0["params"]?["seq"] } == (1...whole.lines.count).map { .integer(Int64($0)) })
    #expect(whole.replies.first?["type"] == "enrollmentDelegate.enrollmentRequestWithStatus")
    #expect(try show("events", "--json", "-n", "2").lines == whole.lines.suffix(2))
    let typed = try show("events", "--json", "--type", "policyDidChange", "--type", "appConfig")
    #expect(typed.replies.map { $0["type"] } == ["policyManager.policyDidChange", "appConfig.didChange"])
    let text = try show("events")
    #expect(text.lines.count == whole.lines.count)
    let first = "#1 enrollmentDelegate.enrollmentRequestWithStatus alice@contoso.example newPoliciesReceived (100)"
    #expect(text.lines[0].hasSuffix(first))
  }

  @Test("status, log and events change no file, with any tenant, clock or setting", arguments: commands)
  func changesNothing(_ command: String) throws {
    try enroll()
    try enroll("dave")
    let before = try contents()
    for options in [[], ["--tenant", "sample"], ["--clock", "manual"], ["--set", "VerboseLoggingEnabled=true"]] {
      let outcome = try Program.run([command, "--state", program.state] + options)
      #expect(outcome.status == 0)
      #expect(outcome.errors == "")
    }
    #expect(try contents() == before)
  }

  @Test("status, log and events exit with 1 if the state is missing, and do not create it", arguments: commands)
  func missing(_ command: String) throws {
    let outcome = try show(command)
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(access(program.state, F_OK) != 0)
    #expect(outcome.errors.contains("there is no state of the app com.example.host in \(program.state). Nothing"))
    try enroll()
    let other = try show(command, "--app-id", "com.example.other")
    #expect(other.status == 1)
    #expect(other.errors.contains("--app-id selects one of: com.example.host\n"))
    #expect(access(program.state + "/apps/com.example.other", F_OK) != 0)
  }

  @Test("status, log and events work while another process holds locks on the state", arguments: commands)
  func held(_ command: String) throws {
    try enroll()
    let app = program.state + "/apps/com.example.host"
    close(open(app + "/checkin.lock", O_RDWR | O_CREAT, 0o600))
    let locks = try [app + "/checkin.lock", program.state + "/apps", program.state + "/keys"].map {
      try LockingProcess($0)
    }
    let start = ContinuousClock.now
    let outcome = try show(command)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("enrol"))
    #expect(outcome.errors == "")
    #expect(start.duration(to: .now) < .seconds(4))
    withExtendedLifetime(locks) {}
  }

  @Test("status, log and events --connect show the server's state, and need no local state", arguments: commands)
  func connect(_ command: String) throws {
    try enroll()
    let unix = "unix://" + program.folder.file("run/bridge")
    let server = try program.start(["--listen", unix, "--listen", "tcp://127.0.0.1:0"])
    _ = try server.readErrorLine()
    let line = try JSONValue(parsing: server.readErrorLine())
    let (tcp, token) = (try #require(line["listening"]?.stringValue), try #require(line["tokenFile"]?.stringValue))
    let here = try show(command, "--json", "--tenant", "sample")
    for options in [["--connect", unix], ["--connect", tcp, "--token-file", token], ["--connect", tcp]] {
      let state = options.count == 2 && options[1] == tcp ? program.state : program.folder.file("none")
      let outcome = try Program.run([command, "--json", "--state", state] + options)
      #expect(outcome.status == 0)
      #expect(outcome.errors == "")
      guard command != "status" else {
        #expect(outcome.replies.first?["accounts"]?.arrayValue?.first?["verdict"] == "block")
        continue
      }
      #expect(outcome.lines == here.lines)
    }
    server.send(signal: SIGTERM)
    #expect(try server.wait().status == 0)
    let gone = try Program.run([command, "--connect", unix])
    #expect(gone.status == 69)
    #expect(gone.output == "")
    #expect(gone.errors.contains("cannot connect"))
  }

  @Test("log exits with 1 if the token is wrong, and status with 69 if the address is unsupported")
  func badServer() throws {
    try enroll()
    let server = try program.start(["--listen", "tcp://127.0.0.1:0"])
    let address = try #require(JSONValue(parsing: server.readErrorLine())["listening"]?.stringValue)
    let token = program.folder.write(String(repeating: "0", count: 64) + "\n", to: "token")
    chmod(token, 0o600)
    let outcome = try Program.run(["log", "--connect", address, "--token-file", token])
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("mambridge: error -32001, "))
    let json = try Program.run(["log", "--json", "--connect", address, "--token-file", token])
    #expect(json.status == 1)
    #expect(json.error?["code"] == -32001)
    let http = try Program.run(["status", "--connect", "http://127.0.0.1:1", "--token-file", token])
    #expect(http.status == 69)
    #expect(http.errors.contains("tcp://127.0.0.1:PORT and unix:///PATH"))
  }

  @Test("log and events exit with 0 if their reader stops after one line", arguments: ["log", "events"])
  func head(_ command: String) throws {
    let server = try program.start()
    for _ in 0..<200 {
      let text = String(repeating: "x", count: 900)
      _ = try server.ask("diagnosticsLog.write", ["level": "info", "message": .string(text)])
    }
    _ = try server.ask("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    let script = #"set -o pipefail; "$0" "$@" | head -n 1"#
    let outcome = try Subprocess.run("/bin/bash", ["-c", script, Program.path, command, "--state", program.state])
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1)
    #expect(outcome.errors == "")
  }

  @Test(
    "status, log and events exit with 64 if the command line is wrong, and create no state",
    arguments: [
      ["status", "--follow"], ["log", "--level", "loud"], ["log", "--since", "yesterday"], ["log", "--lines", "0"],
      ["log", "--lines", "10001"], ["events", "--type", "nothing"], ["events", "--lines", "-1"], ["log", "more"],
    ])
  func usage(_ arguments: [String]) throws {
    let outcome = try Program.run(arguments + ["--state", program.state])
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(!outcome.errors.isEmpty)
    #expect(access(program.state, F_OK) != 0)
  }

  @Test("status, log and events fit the terminal width, with colors unless NO_COLOR is set", arguments: [40, 80, 200])
  func terminal(columns: Int) throws {
    try enroll()
    try enroll("dave")
    for command in Self.commands {
      let words = [command, "--state", program.state]
      let (status, text) = try TerminalProgram.run(Program.path, words, columns: columns)
      let plain = text.withoutEscapes
      #expect(status == 0, "\(command)")
      #expect(plain.split(separator: "\n").allSatisfy { $0.count <= columns }, "\(command)")
      let colored = command == "log" ? "\u{1B}[33mwarning\u{1B}[0m" : "\u{1B}[3"
      #expect(text.contains(colored))
      #expect(plain.filter { !$0.isWhitespace }.contains("Theuser'saccountisdisabled."))
      for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
        let shown = try TerminalProgram.run(Program.path, words, columns: columns, environment: environment).text
        #expect(!shown.contains("\u{1B}"))
        #expect(shown.count > 50)
      }
    }
  }

  @Test("log and events --json print one line per item, even on a terminal", arguments: ["log", "events"])
  func jsonOnTerminal(_ command: String) throws {
    try enroll()
    let words = [command, "--json", "--state", program.state]
    let piped = try Program.run(words).lines
    let (_, text) = try TerminalProgram.run(Program.path, words)
    #expect(text.contains("\u{1B}[0;32m\""))
    #expect(text.withoutEscapes.split(separator: "\n").map(String.init) == piped)
    let plain = try TerminalProgram.run(Program.path, words, environment: ["NO_COLOR": "1"]).text
    #expect(plain.split(separator: "\n").map(String.init) == piped)
  }
}
