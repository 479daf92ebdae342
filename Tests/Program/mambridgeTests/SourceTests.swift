import Glibc
import JSON
import TestSupport
import Testing

/// Policy sources that --tenant names.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct SourceTests {
  private let program = Program()

  private func enroll(_ tenant: String) throws -> Subprocess.Outcome {
    try Program.run([
      "call", "--state", program.state, "--tenant", tenant, "enrollmentManager.registerAndEnrollAccount",
      "account=alice@contoso.example",
    ])
  }

  @Test(
    "Enrollment fails with status 204 or 206 and says why if the policy source does not work",
    arguments: [
      ("exec:/nowhere/source", 204, "/nowhere/source"), ("exec:false", 206, "ended with status 1"),
      ("exec:echo hello", 206, "does not speak JSON-RPC"),
    ] as [(String, Int64, String)])
  func failures(_ tenant: String, _ code: Int64, _ text: String) throws {
    let outcome = try enroll(tenant)
    let status = try JSONValue(parsing: outcome.output)
    #expect(status["statusCode"] == .integer(code), "\(outcome)")
    #expect(status["errorString"]?.stringValue?.contains(text) == true, "\(outcome)")
  }

  @Test("With an https tenant but no mambridge-tenant, enrollment fails and names MAMBRIDGE_LIBEXEC")
  func missingService() throws {
    let copy = program.folder.file("mambridge")
    #expect(try Subprocess.run("/bin/cp", [Program.path, copy]).status == 0)
    let outcome = try Subprocess.run(
      copy,
      [
        "call", "--state", program.state, "--tenant", "https://127.0.0.1:1",
        "enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example",
      ], environment: ["PATH": program.folder.path])
    let status = try JSONValue(parsing: outcome.output)
    #expect(status["statusCode"] == 204, "\(outcome)")
    #expect(status["errorString"]?.stringValue?.contains("MAMBRIDGE_LIBEXEC") == true, "\(outcome)")
  }

  @Test("A tenant exec: with no program or an open quote exits with 78", arguments: ["exec:", "exec:echo 'a"])
  func words(_ tenant: String) throws {
    let outcome = try enroll(tenant)
    #expect(outcome.status == 78, "\(outcome)")
    #expect(outcome.errors.contains("names no program"), "\(outcome)")
  }

  @Test("mambridge starts a policy source only for a check-in, and leaves no process behind")
  func life() throws {
    let script = program.folder.write(
      #"""
      echo $$ >"$1"
      read line; echo '{"jsonrpc":"2.0","id":1,"result":{"name":"test","protocolVersion":1}}'
      read line; echo '{"jsonrpc":"2.0","id":2,"result":{"outcome":"userUnknown"}}'
      cat >/dev/null
      """#, to: "source")
    let mark = program.folder.file("pid")
    let tenant = "exec:/bin/sh '\(script)' '\(mark)'"
    let version = try Program.run([
      "call", "--state", program.state, "--tenant", tenant, "enrollmentManager.registeredAccounts",
    ])
    #expect(version.status == 0)
    #expect(access(mark, F_OK) != 0)
    let status = try JSONValue(parsing: try enroll(tenant).output)
    #expect(status["statusCode"] == 203)
    let text = try #require(readFile(mark))
    let process = try #require(pid_t(String(decoding: text, as: UTF8.self).filter { $0 != "\n" }))
    #expect(kill(process, 0) != 0)
  }
}
