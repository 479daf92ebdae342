import Bridge
import JSON
import Model
import TestSupport
import Testing

@testable import mambridge

@Suite(.ownThreads) struct CommandLineTests {
  @Test("--version prints the versions of mambridge, the Intune App SDK and Swift")
  func version() throws {
    let outcome = try Program.run(["--version"])
    #expect(outcome.status == 0)
    let sdkVersion = Device.implementedSDKVersion
    #expect(outcome.lines.first == "mambridge \(Mambridge.version) (Intune App SDK \(sdkVersion))")
    #expect(outcome.lines.count == 2 && outcome.lines[1].hasPrefix("Linked: Swift "))
  }

  @Test("--help, help and -h list the subcommands and the exit codes", arguments: [["--help"], ["help"], ["-h"]])
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

  @Test(
    "The word help, before or after a command, works like --help",
    arguments: [
      (["help", "call"], ["call", "--help"]), (["help", "files", "protect"], ["files", "protect", "--help"]),
      (["files", "help", "protect"], ["files", "protect", "--help"]), (["files", "help"], ["files", "--help"]),
      (["--tenant", "sample", "help"], ["--help"]), (["keys", "-h"], ["keys", "--help"]),
      (["help", "call", "policy.isPINRequired"], ["call", "policy.isPINRequired", "--help"]),
    ])
  func helpWords(_ words: [String], _ same: [String]) throws {
    let (outcome, expected) = (try Program.run(words), try Program.run(same))
    #expect(outcome == expected)
    #expect(outcome.status == 0)
    #expect(!outcome.output.isEmpty)
  }

  @Test(
    "A misspelled command exits with 64 and suggests the nearest command",
    arguments: [
      (["calll"], "Did you mean \"mambridge call\"?"), (["diag"], "Did you mean \"mambridge diagnostics\"?"),
      (["files", "protct"], "Did you mean \"mambridge files protect\"?"),
      (["policy.isPINRequired"], "To call a method, use \"mambridge call policy.isPINRequired\"."),
      (["--tenant", "sample", "cal", "x"], "\"cal\" is not a command"), (["\u{1B}[2J"], "\"U+1B[2J\" is not"),
      (["help", "xyzzy"], "\"mambridge --help\" lists the commands"),
    ])
  func suggestion(_ words: [String], _ text: String) throws {
    let outcome = try Program.run(words)
    #expect(outcome.status == 64, "\(outcome)")
    #expect(outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains(text), "\(outcome)")
    #expect(outcome.errors.hasPrefix("mambridge: "))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test("Options can come before the command")
  func optionsFirst() throws {
    let program = Program()
    let call = ["call", "enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"]
    let enrolled = try Program.run(program.options + call)
    #expect(try JSONValue(parsing: enrolled.output)["statusCode"] == 100)
    #expect(try Program.run(program.options + ["--clock=system", "call", "policy.isPINRequired"]).output == "true\n")
    let plan = program.folder.write("text", to: "plan")
    let check = try Program.run(["--state", program.state, "files", "--json", "check", plan])
    #expect(check.status == 0)
    #expect(try JSONValue(parsing: check.output)["state"] == "plain")
  }

  @Test("An option takes a value in every command or in none, so it can come before the command")
  func options() throws {
    let tree = try #require(CommandTree(of: Mambridge.self))
    var values: [String: Bool] = [:]
    var rest = [tree]
    while let command = rest.popLast() {
      rest += command.subcommands
      for (name, takesValue) in command.options {
        #expect(values.updateValue(takesValue, forKey: name) ?? takesValue == takesValue, "\(command.name) \(name)")
      }
    }
    #expect(values["--tenant"] == true)
    #expect(values["--json"] == false)
    #expect(values["-q"] == false)
  }

  @Test("schema prints the server's OpenRPC document to standard output")
  func schema() throws {
    let outcome = try Program.run(["schema"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let version = try #require(JSONValue(parsing: outcome.output)["info"]?["version"]?.stringValue)
    #expect(outcome.output == OpenRPC.text(serverVersion: version))
  }

  @Test(
    "A wrong command line exits with 64 and prints only to standard error",
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

  @Test("A command exits with 74 if the disk is full", arguments: [["schema"], ["call", "versionInfo.sdkVersion"]])
  func fullDisk(_ arguments: [String]) throws {
    let command = "exec \"$0\" \"$@\" >/dev/full"
    let outcome = try Subprocess.run("/bin/sh", ["-c", command, Program.path] + arguments)
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("cannot write to standard output"))
  }
}
