import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct ExplainCommandTests {
  private let program = Program()

  private func explain(_ arguments: String...) throws -> Subprocess.Outcome {
    try Program.run(["explain"] + program.options + arguments)
  }

  @Test("explain prints one sentence a line, the answer first")
  func sentences() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let outcome = try explain("policy.isSaveToAllowedForLocation", "location=dropbox", "account=alice@contoso.example")
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(outcome.lines.first == "Saving to Dropbox is blocked.")
    #expect(outcome.lines.contains("The question names alice@contoso.example."))
    #expect(outcome.lines.contains { $0.hasSuffix(" sets saveAsBlocked to true.") })
  }

  @Test(
    "parameters are those of call: pairs, an object or an array, or none",
    arguments: [
      (["policy.isPINRequired"], false), (["policy.isPINRequired", "account=bob@contoso.example"], false),
      (["policy.isContactSyncAllowed", #"{"account": "bob@contoso.example"}"#], true),
      (["policy.isURLAllowed", #"["tel:1"]"#], true), (["enforcement.isActionAllowed", "action=print"], true),
    ] as [([String], JSONValue)])
  func json(arguments: [String], verdict: JSONValue) throws {
    let outcome = try Program.run(["explain", "--json"] + program.options + arguments)
    let result = try JSONValue(parsing: outcome.output)
    #expect(outcome.status == 0 && outcome.lines.count == 1)
    #expect(result["verdict"] == verdict && result["because"]?.arrayValue?.isEmpty == false)
  }

  @Test("an error goes to standard error as JSON, with exit code 1 and its place; an unknown question has a hint")
  func errors() throws {
    let missing = try explain("policy.isURLAllowed")
    #expect(missing.status == 1 && missing.output == "")
    #expect(missing.error?["data"]?["path"] == "/params/url")
    let unknown = try explain("policy.isPinRequired")
    #expect(unknown.status == 1 && unknown.error?["code"] == -32602)
    #expect(unknown.error?["data"]?["hint"]?.stringValue?.contains("policy.isPINRequired") == true)
  }

  @Test("what is no parameter is 64, and what cannot be reached 69")
  func wrongForms() throws {
    let outcome = try explain("policy.isURLAllowed", "url")
    #expect(outcome.status == 64 && outcome.errors.contains("neither name=value"))
    let unreachable = try explain("policy.isPINRequired", "--connect", "unix://\(program.folder.file("none"))")
    #expect(unreachable.status == 69 && unreachable.output == "")
  }
}
