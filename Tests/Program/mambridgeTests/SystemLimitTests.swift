import Glibc
import TestSupport
import Testing

/// Below the limits that docs/host/time-limits-and-errors.md lists, a program says so and does not crash.
@Suite struct SystemLimitTests {
  private let program = Program()

  private func run(_ limit: String, _ arguments: [String], input: String = "") throws -> Subprocess.Outcome {
    try Subprocess.run("/usr/bin/prlimit", [limit, Program.path] + arguments, input: input)
  }

  private var commands: [[String]] {
    [
      program.options, ["call"] + program.options + ["versionInfo.sdkVersion"], ["tenant", "check", "sample"],
      ["files", "check", "--state", program.state, program.folder.path], ["--help"],
    ]
  }

  @Test(
    "Every command exits with 71 and says what to do if a system limit is too low",
    arguments: [
      ("--as=\(160 << 20)", "the limit of address space is 160 MB, and at least 256 MB are needed"),
      ("--as=\(255 << 20)", "the limit of address space is 255 MB, and at least 256 MB are needed"),
      ("--nofile=16", "the limit of open files is 16, and at least 32 are needed"),
    ])
  func tooLow(_ limit: String, _ reason: String) throws {
    for command in commands {
      let outcome = try run(limit, command)
      #expect(outcome.status == 71, "\(command)")
      #expect(outcome.output == "", "\(command)")
      #expect(outcome.errors.hasPrefix("mambridge: \(reason). Raise it: ulimit -"), "\(outcome.errors)")
    }
  }

  @Test("mambridge works at the lowest allowed system limits", arguments: ["--as=\(256 << 20)", "--nofile=32"])
  func enough(_ limit: String) throws {
    let enroll = request("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    let served = try run(limit, program.options, input: enroll + "\n")
    #expect(served.status == 0, "\(served)")
    #expect(served.replies.first?["result"]?["statusCode"] == 100, "\(served)")
    let key = ["--key-command", "printf %040d 0", "--state", program.folder.file("other"), "--tenant", "sample"]
    let called = try run(
      limit, ["call"] + key + ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"])
    #expect(called.status == 0, "\(called)")
    #expect(try run(limit, ["files", "check", "--state", program.state, program.folder.path]).status < 64)
  }

  @Test(
    "mambridge exits with 71 if the user may start no more threads",
    .enabled(if: geteuid() == 0, "needs another user"))
  func threads() throws {
    let script = #"exec prlimit --nproc=1 setpriv --reuid 65534 --clear-groups "$0" call versionInfo.sdkVersion"#
    let outcome = try Subprocess.run("/bin/sh", ["-c", script, Program.path])
    #expect(outcome.status == 71, "\(outcome)")
    #expect(outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains("the limit of processes and threads of this user is 1, and 16 more threads"))
  }
}
