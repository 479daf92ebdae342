import Glibc
import JSON
import TestSupport
import Testing

/// MAMBRIDGE_PROCESS_GROUP: whether a server stays in the process group of its host.
@Suite(.ownThreads) struct ProcessGroupTests {
  private static let variable = "MAMBRIDGE_PROCESS_GROUP"
  private let program = Program()

  private func serve(_ value: String, _ options: [String] = []) throws -> Subprocess {
    try Subprocess(Program.path, program.options + options, environment: [Self.variable: value])
  }

  @Test("MAMBRIDGE_PROCESS_GROUP=own moves the server out of the process group of its host")
  func own() throws {
    for options in [[], ["--limit", "batch=10"]] {
      let server = try serve("own", options)
      #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
      #expect(getpgid(server.identifier) == server.identifier)
      server.closeInput()
      #expect(try server.wait().status == 0)
    }
  }

  @Test("With an empty MAMBRIDGE_PROCESS_GROUP, the server stays in the process group of its host")
  func none() throws {
    let server = try serve("")
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
    #expect(getpgid(server.identifier) == getpgid(0))
    server.closeInput()
    #expect(try server.wait().status == 0)
  }

  @Test("The server exits with 78 for an unknown MAMBRIDGE_PROCESS_GROUP", arguments: ["none", "OWN", "own "])
  func unknown(_ value: String) throws {
    let server = try serve(value)
    server.closeInput()
    let outcome = try server.wait()
    #expect(outcome.status == EX_CONFIG)
    #expect(
      outcome.errors == """
        mambridge: MAMBRIDGE_PROCESS_GROUP is "\(value)". Set it to "own", so that the server leaves the process group of \
        its host, or do not set it

        """)
  }

  @Test("call ignores MAMBRIDGE_PROCESS_GROUP")
  func command() throws {
    let call = ["call", "versionInfo.sdkVersion"] + program.options
    let outcome = try Subprocess.run(Program.path, call, environment: [Self.variable: "none"])
    #expect(outcome.output == "\"21.7.1\"\n")
  }
}
