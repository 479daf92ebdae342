import Bridge
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct CommandLineTests {
  @Test("the version names the program's and the SDK's")
  func version() throws {
    let outcome = try Program.run(["--version"])
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("mambridge 0."))
    #expect(outcome.output.contains("19.2.0"))
  }

  @Test("help names the subcommands, options and exit codes", arguments: [["--help"], ["help"]])
  func help(_ arguments: [String]) throws {
    let outcome = try Program.run(arguments)
    #expect(outcome.status == 0)
    for word in ["serve", "call", "schema", "Exit codes", "versionInfo.sdkVersion"] {
      #expect(outcome.output.contains(word))
    }
    let call = try Program.run(["call", "--help"]).output
    for word in ["--connect", "--token-file", "--tenant", "--state", "--app-id", "--clock", "--settings", "--set"] {
      #expect(call.contains(word))
    }
  }

  @Test("the schema goes to standard output as it is checked in")
  func schema() throws {
    let outcome = try Program.run(["schema"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let version = try #require(JSONValue(parsing: outcome.output)["info"]?["version"]?.stringValue)
    #expect(outcome.output == OpenRPC.text(serverVersion: version))
  }

  @Test("shells are told how to complete", arguments: ["bash", "zsh", "fish"])
  func completion(_ shell: String) throws {
    let outcome = try Program.run(["--generate-completion-script", shell])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("policy.isPINRequired"))
    #expect(outcome.output.contains("tenant"))
  }

  @Test(
    "a wrong command line is 64, told on standard error alone",
    arguments: [
      ["--nothing"], ["serve", "extra"], ["call"], ["--clock", "sundial"], ["--app-id", "../up"],
      ["--app-id", ""], ["--state"], ["unknown"],
    ])
  func wrong(_ arguments: [String]) throws {
    let outcome = try Program.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(!outcome.errors.isEmpty)
  }

  @Test("a full disk under standard output is 74", arguments: [["schema"], ["call", "versionInfo.sdkVersion"]])
  func fullDisk(_ arguments: [String]) throws {
    let command = "exec \"$0\" \"$@\" >/dev/full"
    let outcome = try Subprocess.run("/bin/sh", ["-c", command, Program.path] + arguments)
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("cannot write to standard output"))
  }
}
