import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct StateTrustTests {
  private let program = Program()

  /// Every command that opens a state, but none that would wait for input.
  private static let commands = [
    ["serve"], ["call", "versionInfo.sdkVersion"], ["explain", "policy.isPINRequired"], ["keys", "info"],
    ["keys", "rotate", "--account", "a@b.c"], ["keys", "change-secret", "--new-key-file", "/nowhere"],
    ["files", "info", "/nowhere"], ["files", "cat", "/nowhere"], ["files", "check", "/nowhere"],
    ["files", "export", "/nowhere"], ["files", "write", "/nowhere"], ["files", "protect", "--account", "", "/nowhere"],
    ["diagnostics"], ["serve", "--listen", "tcp://127.0.0.1:0"],
    ["call", "--connect", "tcp://127.0.0.1:1", "versionInfo.sdkVersion"],
  ]

  @Test("A command exits with 78 and suggests chmod if others can write to the state folder", arguments: commands)
  func sharedState(_ command: [String]) throws {
    mkdir(program.state, 0o700)
    chmod(program.state, 0o777)
    let outcome = try Program.run(command + ["--state", program.state])
    #expect(outcome.status == 78)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("chmod go-w '\(program.state)'"), "\(outcome.errors)")
    #expect(filesOf(folder: program.state).isEmpty)
  }

  @Test("A state folder in a shared parent folder is refused without --trust-parents")
  func sharedParent() throws {
    let place = program.folder.file("shared")
    mkdir(place, 0o700)
    chmod(place, 0o777)
    let input = request("enrollmentManager.registeredAccounts") + "\n"
    let refused = try Program.run(["--state", place + "/state"], input: input)
    #expect(refused.status == 78)
    #expect(refused.errors.contains("--trust-parents"))
    #expect(refused.errors.contains(place))
    let trusted = try Program.run(["--state", place + "/state", "--trust-parents"], input: input)
    #expect(trusted.status == 0)
    #expect(trusted.replies.first?["result"] == [])
    let called = try Program.run(
      ["call", "--trust-parents", "--state", place + "/state", "enrollmentManager.registeredAccounts"])
    #expect(called.output == "[]\n")
  }

  @Test(
    "Another user's state folder is refused", .enabled(if: Privileges.isRoot, "needs root to be another user"))
  func foreignState() throws {
    let foreign = ["--reuid=65534", "--regid=65534", "--clear-groups", "mkdir", "-m", "0777", "-p"]
    chmod(program.folder.path, 0o1777)
    #expect(try Subprocess.run("/usr/bin/setpriv", foreign + [program.state + "/apps"]).status == 0)
    let outcome = try program.serve(request("enrollmentManager.registeredAccounts") + "\n")
    #expect(outcome.status == 78)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("chown -R 0 '\(program.state)'"))
  }

  @Test("The state folder is in XDG_STATE_HOME, or in HOME if XDG_STATE_HOME is not an absolute path")
  func variables() throws {
    let (first, second) = (program.folder.file("first"), program.folder.file("second"))
    for folder in [first, second] { mkdir(folder, 0o700) }
    for (variables, place) in [
      (["XDG_STATE_HOME=\(first)", "HOME=\(second)"], first + "/mambridge"),
      (["XDG_STATE_HOME=relative", "HOME=\(second)"], second + "/.local/state/mambridge"),
    ] {
      #expect(try run(variables + [Program.path] + Self.question).output == "[]\n")
      #expect(access(place + "/apps", F_OK) == 0)
    }
  }

  private static let question = ["call", "enrollmentManager.registeredAccounts"]

  @Test(
    "Without HOME, the state is in the home in /etc/passwd, unless it is missing or below /tmp",
    .enabled(if: Privileges.canMount, "needs a mount namespace for another /etc/passwd"))
  func home() throws {
    let home = TemporaryFolder(inMemory: true)
    for (folder, status) in [(home.path, 0), (program.folder.path, 78), ("/nowhere", 78)] as [(String, Int32)] {
      let passwd = program.folder.write("daemon:x:1::/:\nroot:x:0:0:root:\(folder):/bin/sh\n", to: "passwd")
      let outcome = try run(
        ["-u", "HOME", "-u", "XDG_STATE_HOME", "unshare", "-m", "sh", "-c"]
          + [#"mount --bind "$0" /etc/passwd && exec "$@""#, passwd, Program.path] + Self.question)
      #expect(outcome.status == status, "\(outcome.errors)")
      #expect(outcome.errors.contains("Pass --state") == (status == 78))
    }
    #expect(access(home.file(".local/state/mambridge/apps"), F_OK) == 0)
    #expect(access(program.folder.file(".local"), F_OK) != 0)
  }

  private func run(_ arguments: [String]) throws -> Subprocess.Outcome { try Subprocess.run("/usr/bin/env", arguments) }
}
