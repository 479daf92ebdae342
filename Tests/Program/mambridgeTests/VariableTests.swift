import Glibc
import JSON
import TestSupport
import Testing

/// MAMBRIDGE_TENANT, MAMBRIDGE_STATE and MAMBRIDGE_APP_ID: the option comes first, then the variable, then the default.
@Suite struct VariableTests {
  private let program = Program()

  private func run(
    _ variables: [String: String], _ arguments: [String], input: String = ""
  ) throws -> Subprocess.Outcome {
    try Subprocess.run(Program.path, arguments, input: input, environment: variables)
  }

  private func enroll(_ variables: [String: String], _ options: [String] = []) throws -> Subprocess.Outcome {
    let call = ["call", "enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"]
    return try run(variables, call + options)
  }

  @Test("MAMBRIDGE_TENANT and MAMBRIDGE_STATE set the tenant and the state, without a message in a pipe")
  func chosen() throws {
    let variables = ["MAMBRIDGE_TENANT": "sample", "MAMBRIDGE_STATE": program.state]
    let outcome = try enroll(variables)
    #expect(try JSONValue(parsing: outcome.output)["statusCode"] == 100)
    #expect(outcome.errors == "")
    #expect(filesOf(folder: program.state).contains(program.state + "/apps"))
    let served = try run(variables, [], input: request("policy.isPINRequired") + "\n")
    #expect(served.replies.first?["result"] == true)
    #expect(served.errors == "")
    let listed = try run(variables, ["diagnostics"])
    #expect(listed.output.contains("alice@contoso.example"))
    #expect(listed.errors == "")
  }

  @Test("On a terminal, a command says what it took from MAMBRIDGE_ variables, unless --quiet is set")
  func announced() throws {
    let variables = ["MAMBRIDGE_TENANT": "sample", "MAMBRIDGE_STATE": program.state]
    let call = ["call", "versionInfo.sdkVersion"]
    let screen = try TerminalProgram(Program.path, call, columns: 200, environment: variables)
    let (status, shown) = try screen.wait()
    #expect(status == 0)
    #expect(shown.contains("mambridge: the tenant is sample, from MAMBRIDGE_TENANT"))
    #expect(shown.contains("mambridge: the state folder is \(program.state), from MAMBRIDGE_STATE"))
    for option in ["--quiet", "-q"] {
      let quiet = try TerminalProgram(Program.path, call + [option], columns: 200, environment: variables)
      let (_, said) = try quiet.wait()
      #expect(!said.contains("MAMBRIDGE_"), "\(said)")
    }
  }

  @Test("An option takes precedence over its MAMBRIDGE_ variable, and no message mentions the variable")
  func option() throws {
    let variables = [
      "MAMBRIDGE_TENANT": "/nonexistent", "MAMBRIDGE_STATE": "/nonexistent", "MAMBRIDGE_APP_ID": "com.example.other",
    ]
    let outcome = try enroll(variables, program.options + ["--app-id", "com.example.mine"])
    #expect(try JSONValue(parsing: outcome.output)["statusCode"] == 100)
    #expect(outcome.errors == "")
    #expect(filesOf(folder: program.state + "/apps") == [program.state + "/apps/com.example.mine"])
  }

  @Test("An empty MAMBRIDGE_ variable counts as unset")
  func empty() throws {
    let variables = [
      "MAMBRIDGE_TENANT": "", "MAMBRIDGE_STATE": "", "MAMBRIDGE_APP_ID": "",
      "XDG_STATE_HOME": program.folder.file("home"),
    ]
    let outcome = try enroll(variables)
    #expect(try JSONValue(parsing: outcome.output)["statusCode"] == 204)
    #expect(outcome.errors == "")
    #expect(
      filesOf(folder: program.folder.file("home/mambridge/apps")) == [
        program.folder.file("home/mambridge/apps/com.example.host")
      ])
  }

  @Test("A relative path in MAMBRIDGE_STATE is resolved against the working folder")
  func relative() throws {
    let script = "cd \"$0\" && exec \"$@\""
    let outcome = try Subprocess.run(
      "/bin/sh", ["-c", script, program.folder.path, Program.path, "call", "policy.isPINRequired"],
      environment: ["MAMBRIDGE_STATE": "own"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(access(program.folder.file("own/apps"), F_OK) == 0)
  }

  @Test("MAMBRIDGE_APP_ID sets the app ID")
  func app() throws {
    _ = try enroll(["MAMBRIDGE_APP_ID": "com.example.other"], program.options)
    #expect(filesOf(folder: program.state + "/apps") == [program.state + "/apps/com.example.other"])
  }

  @Test(
    "A command exits with 78 and names the variable if a MAMBRIDGE_ variable is invalid",
    arguments: [
      (["MAMBRIDGE_APP_ID": "../up"], "MAMBRIDGE_APP_ID"), (["MAMBRIDGE_TENANT": "/nonexistent"], "MAMBRIDGE_TENANT"),
    ])
  func wrong(_ variables: [String: String], _ name: String) throws {
    for command in [[], ["call", "policy.isPINRequired"]] {
      let outcome = try run(variables, command + ["--state", program.state])
      #expect(outcome.status == 78)
      #expect(outcome.output == "")
      #expect(outcome.errors.contains(name))
    }
  }

  @Test("A command that needs neither tenant nor state ignores MAMBRIDGE_TENANT and MAMBRIDGE_STATE")
  func unneeded() throws {
    let variables = ["MAMBRIDGE_TENANT": "/nonexistent", "MAMBRIDGE_STATE": "/nonexistent"]
    for command in [
      ["schema"], ["--version"], ["call", "policy.isPINRequired", "--help"], ["tenant", "check", "sample"],
    ] {
      #expect(try run(variables, command).errors == "", "\(command)")
    }
  }

  @Test("--help names the variables for tenant, state and app ID", arguments: [[], ["call"], ["files", "protect"]])
  func help(command: [String]) throws {
    let text = try Program.run(command + ["--help"]).output
    for name in ["MAMBRIDGE_TENANT", "MAMBRIDGE_STATE", "MAMBRIDGE_APP_ID"] { #expect(text.contains(name)) }
  }
}
