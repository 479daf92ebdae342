import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads, .enabled(if: Privileges.canMount, "needs root to mount a folder read-only, and to be another user"))
struct ReadOnlyStateTests {
  enum Kind: CaseIterable {
    /// On a file system that is mounted read-only, after a clean exit and after a kill that left a log.
    case mounted, mountedWithLog
    /// In folders that their owner may only read.
    case closed, closedWithLog

    var hasLog: Bool { self == .mountedWithLog || self == .closedWithLog }
    var isMounted: Bool { self == .mounted || self == .mountedWithLog }
  }

  private static let alice: JSONValue = ["account": "alice@contoso.example"]
  private let program = Program()
  private var database: String { program.state + "/apps/com.example.host/state.db" }
  private var document: String { program.folder.file("plan.txt") }

  /// With alice, an encrypted file of hers, and what a device says; returns a protected text.
  private func prepare(_ kind: Kind) throws -> JSONValue {
    let server = try program.start()
    _ = try server.ask("device.set", ["model": "iPhone15,2"])
    _ = try server.ask("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let params: JSONValue = ["string": "secret", "account": "alice@contoso.example"]
    let text = try #require(server.ask("dataProtectionManager.protectString", params)["result"])
    let write = ["files", "write", document, "--account", "alice@contoso.example"] + program.options
    #expect(try Program.run(write, input: "figures").status == 0)
    server.send(signal: kind.hasLog ? SIGKILL : SIGTERM)
    _ = try server.wait()
    #expect((access(database + "-wal", F_OK) == 0) == kind.hasLog)
    return text
  }

  /// The program on a state that cannot be written.
  private func command(_ kind: Kind, _ arguments: [String]) throws -> [String] {
    if kind.isMounted {
      let script = #"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@""#
      return ["unshare", "-m", "sh", "-c", script, program.state, Program.path] + arguments
    }
    let copy = program.folder.file("mambridge")
    if access(copy, F_OK) != 0 {
      let script = """
        cp "$0" "$1/mambridge" && chmod 755 "$1" && chown -R 4711:4711 "$1/state" "$1/plan.txt" &&
        find "$1/state" -type f -exec chmod a-w {} + && find "$1/state" -type d -exec chmod a-w {} +
        """
      #expect(try Subprocess.run("/bin/sh", ["-c", script, Program.path, program.folder.path]).status == 0)
    }
    return ["setpriv", "--reuid=4711", "--regid=4711", "--clear-groups", copy] + arguments
  }

  private func run(_ kind: Kind, _ arguments: [String]) throws -> Subprocess.Outcome {
    try Subprocess.run("/usr/bin/env", command(kind, arguments + program.options))
  }

  @Test(
    "On a read-only state, reads succeed, and changes fail with error 6001 and a hint", arguments: Kind.allCases)
  func reads(_ kind: Kind) throws {
    let text = try prepare(kind)
    let options = try command(kind, program.options)
    let before = try contents()
    let server = try Subprocess("/usr/bin/env", options)
    let answers: [(String, JSONValue, JSONValue)] = [
      ("policy.isPINRequired", [:], true), ("dataProtectionManager.unprotectString", ["string": text], "secret"),
      ("device.get", [:], "iPhone15,2"),
    ]
    for (method, params, expected) in answers {
      let result = try server.ask(method, params)["result"]
      #expect((result?["model"] ?? result) == expected, "\(method)")
    }
    #expect(try server.ask("enrollmentManager.enrolledAccounts")["result"]?.arrayValue?.count == 1)
    #expect(try server.ask("events.list", ["after": 0])["result"]?["events"]?.arrayValue?.isEmpty == false)
    #expect(try server.ask("diagnosticsLog.query")["error"] == nil)
    let launch = try server.ask("conditionalLaunch.evaluate", Self.alice)["result"]
    #expect(launch?["challenges"]?.arrayValue?.map { $0["kind"] } == ["setPIN"])
    for (method, params) in [
      ("enrollmentManager.registerAndEnrollAccount", ["account": "bob@contoso.example"]),
      ("enrollmentManager.deRegisterAndUnenrollAccount", ["account": "alice@contoso.example", "withWipe": true]),
      ("device.set", ["model": "other"]), ("tenant.checkIn", [:]),
    ] as [(String, JSONValue)] {
      let error = try server.ask(method, params)["error"]
      #expect(error?["code"] == 6001, "\(method)")
      #expect(error?["message"]?.stringValue?.contains("read-only") == true, "\(method)")
      #expect(error?["data"]?["hint"]?.stringValue?.contains("writable") == true)
    }
    server.closeInput()
    #expect(try server.wait().status == 0)
    #expect(try run(kind, ["files", "cat", document]).output == "figures")
    #expect(try run(kind, ["files", "info", document]).output.contains("alice@contoso.example"))
    #expect(try run(kind, ["diagnostics", "--json"]).output.contains("alice@contoso.example"))
    #expect(try contents() == before)
  }

  @Test("A server on a read-only state sees the changes of another process at its next call")
  func changed() throws {
    _ = try prepare(.mounted)
    let reader = try Subprocess("/usr/bin/env", command(.mounted, program.options))
    #expect(try reader.ask("enrollmentManager.enrolledAccounts")["result"]?.arrayValue?.count == 1)
    let writer = try program.start()
    _ = try writer.ask("enrollmentManager.deRegisterAndUnenrollAccount", Self.alice)
    #expect(try reader.ask("enrollmentManager.enrolledAccounts")["result"] == [])
    let types = try reader.ask("events.list", ["after": 0])["result"]?["events"]?.arrayValue?.map { $0["type"] }
    #expect(types?.contains("enrollmentDelegate.unenrollRequestWithStatus") == true)
    _ = try writer.ask("enrollmentManager.registerAndEnrollAccount", Self.alice)
    #expect(try reader.ask("policy.isPINRequired")["result"] == true)
  }

  /// Names and bytes of all that is in the state.
  private func contents() throws -> String {
    let script = #"cd "$0" && find . -type f | sort | xargs sha256sum"#
    return try Subprocess.run("/bin/sh", ["-c", script, program.state]).output
  }
}
