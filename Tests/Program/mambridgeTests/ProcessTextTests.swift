import Glibc
import TestSupport
import Testing

/// Arguments and variables are bytes. What is not UTF-8 is refused, because it would name something else.
@Suite struct ProcessTextTests {
  private let program = Program()

  /// Runs a program behind a shell, in whose script B is a byte that is no UTF-8.
  private func run(_ script: String, _ path: String = Program.path) throws -> Subprocess.Outcome {
    try Subprocess.run(
      "/bin/sh", ["-c", "B=$(printf '\\377'); " + script, path, program.state],
      environment: ["LC_ALL": "C", "HOME": program.folder.path])
  }

  @Test(
    "mambridge exits with 64 and names the argument if an argument is not UTF-8",
    arguments: [
      (#""$0" --state "$1$B""#, "argument 2, after --state, is not valid UTF-8"),
      (#""$0" --state="$1$B" call versionInfo.sdkVersion"#, "the value of --state is not valid UTF-8"),
      (#""$0" --tenant "$B" call versionInfo.sdkVersion"#, "argument 2, after --tenant, is not valid UTF-8"),
      (#""$0" call --state "$1" x.y account="$B""#, "the value of account is not valid UTF-8"),
      (#""$0" call --state "$1" "$B""#, "argument 4 is not valid UTF-8"),
      (#""$0" tenant check "/a=b$B""#, "argument 3 is not valid UTF-8"),
      (#""$0" "$B""#, "argument 1 is not valid UTF-8"),
    ])
  func argument(_ script: String, _ reason: String) throws {
    let outcome = try run(script)
    #expect(outcome == Subprocess.Outcome(status: 64, output: "", errors: "mambridge: \(reason)\n"))
    #expect(filesOf(folder: program.folder.path).isEmpty)
  }

  @Test(
    "mambridge exits with 64 if a variable that it reads is not UTF-8",
    arguments: ["MAMBRIDGE_STATE", "MAMBRIDGE_TENANT", "MAMBRIDGE_APP_ID", "XDG_STATE_HOME", "HOME"])
  func variable(_ name: String) throws {
    for arguments in ["", "call versionInfo.sdkVersion", "status"] {
      let outcome = try run(#"env \#(name)="/$B" "$0" \#(arguments)"#)
      #expect(outcome.status == 64)
      #expect(outcome.output == "")
      #expect(outcome.errors.hasPrefix("mambridge: the value of the variable \(name) is not valid UTF-8"))
    }
  }

  @Test("Variables that mambridge does not read may contain any bytes")
  func others() throws {
    let call = #""$0" call --state "$1/è" versionInfo.sdkVersion"#
    #expect(try run("MAMBRIDGE=$B HOMEPAGE=$B env OTHER=\"$B\" \(call)").output == "\"21.7.1\"\n")
  }

  @Test("mambridge-tenant refuses bad UTF-8", .enabled(if: access(Self.tenant, X_OK) == 0, "needs mambridge-tenant"))
  func tenantProgram() throws {
    let argument = try run(#""$0" check "https://$B""#, Self.tenant)
    #expect(argument.status == 64)
    #expect(argument.errors == "mambridge-tenant: argument 2 is not valid UTF-8\n")
    let variable = try run(#"env MAMBRIDGE_TOKEN_CACHE="/$B" "$0" --version"#, Self.tenant)
    #expect(variable.status == 64)
    #expect(variable.errors.contains("MAMBRIDGE_TOKEN_CACHE is not valid UTF-8"))
  }

  private static let tenant = Checkout.program("mambridge-tenant", orAt: "MAMBRIDGE_TENANT_PROGRAM")
}
