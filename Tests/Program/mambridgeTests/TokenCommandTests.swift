import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct TokenCommandTests {
  private let program = Program()

  init() {
    program.folder.write(
      """
      {"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example"}],
       "authentication": {"authority": "https://login.example/", "resource": "r", "scopes": ["s"]}}
      """, to: "tenant/tenant.json")
    program.folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "pinRequired": true}"##,
      to: "tenant/policies/ios.json")
  }

  private func enroll(_ options: [String]) throws -> Subprocess.Outcome {
    try Program.run(
      ["call", "--state", program.state, "--tenant", program.folder.file("tenant")] + options
        + ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"])
  }

  @Test(
    "--token-command runs without a shell, and its exit code and output decide the enrollment",
    arguments: [
      ([], 100), (["--token-command", "echo token"], 100), (["--token-command", "false"], 203),
      (["--token-command", "echo 'a token' in words"], 203), (["--token-command", "echo token;false"], 100),
      (["--token-command", "no-such-program"], 203),
    ] as [([String], Int64)])
  func command(_ options: [String], _ code: Int64) throws {
    let outcome = try enroll(options)
    #expect(try JSONValue(parsing: outcome.output)["statusCode"] == .integer(code), "\(outcome)")
  }

  @Test(
    "call exits with an error if --token-command is empty or has an open quote", arguments: ["", "echo 'a"])
  func words(_ text: String) throws {
    let outcome = try enroll(["--token-command", text])
    #expect(outcome.status != 0, "\(outcome)")
    #expect(outcome.errors.contains("token command names no program"), "\(outcome)")
  }
}
