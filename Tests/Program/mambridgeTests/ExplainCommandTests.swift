import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct ExplainCommandTests {
  private let program = Program()

  private func explain(_ arguments: String...) throws -> Subprocess.Outcome {
    try Program.run(["explain"] + program.options + arguments)
  }

  @Test("explain prints one sentence per line and begins with the answer")
  func sentences() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let outcome = try explain("policy.isSaveToAllowedForLocation", "location=dropbox", "account=alice@contoso.example")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.first == "Saving to Dropbox is blocked.")
    #expect(outcome.lines.contains("The question names alice@contoso.example."))
    #expect(outcome.lines.contains { $0.hasSuffix(" sets saveAsBlocked to true.") })
  }

  @Test(
    "explain takes parameters like call: as pairs, an object or an array",
    arguments: [
      (["policy.isPINRequired"], false), (["policy.isPINRequired", "account=bob@contoso.example"], false),
      (["policy.isContactSyncAllowed", #"{"account": "bob@contoso.example"}"#], true),
      (["policy.isURLAllowed", #"["tel:1"]"#], true), (["enforcement.isActionAllowed", "action=print"], true),
    ] as [([String], JSONValue)])
  func json(arguments: [String], verdict: JSONValue) throws {
    let outcome = try Program.run(["explain", "--json"] + program.options + arguments)
    let result = try JSONValue(parsing: outcome.output)
    #expect(outcome.status == 0)
    #expect(outcome.lines.count == 1)
    #expect(result["verdict"] == verdict)
    #expect(result["because"]?.arrayValue?.isEmpty == false)
  }

  @Test("explain prints an error as JSON to standard error, with its place or a hint, and exits with 1")
  func errors() throws {
    let missing = try explain("policy.isURLAllowed")
    #expect(missing.status == 1)
    #expect(missing.output == "")
    #expect(missing.error?["data"]?["path"] == "/params/url")
    let unknown = try explain("policy.isPinRequired")
    #expect(unknown.status == 1)
    #expect(unknown.error?["code"] == -32602)
    #expect(unknown.error?["data"]?["hint"]?.stringValue?.contains("policy.isPINRequired") == true)
  }

  @Test("explain exits with 64 if a parameter is malformed, and with 69 if it cannot connect")
  func wrongForms() throws {
    let outcome = try explain("policy.isURLAllowed", "url")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("neither name=value"))
    let unreachable = try explain("policy.isPINRequired", "--connect", "unix://\(program.folder.file("none"))")
    #expect(unreachable.status == 69)
    #expect(unreachable.output == "")
  }

  @Test("explain lists the launch rules that demand something; --all also lists those that passed")
  func launch() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    for query in ["conditionalLaunch.evaluate", "conditionalLaunch.didBecomeActive"] {
      let short = try explain(query)
      #expect(short.status == 0, "\(short)")
      #expect(short.errors == "", "\(short)")
      #expect(short.lines.first == "The account's data may be shown only after the user has answered.")
      #expect(short.lines.last?.hasSuffix("demand nothing; --all shows what passed.") == true)
      let all = try explain(query, "--all")
      #expect(all.lines.count > short.lines.count)
      #expect(all.lines.contains { $0.contains("not jailbroken") })
      #expect(!short.output.contains("not jailbroken"))
      let json = try JSONValue(parsing: explain(query, "--json").output)
      #expect(json["verdict"]?["rules"]?.arrayValue?.isEmpty == false)
    }
  }

  @Test("explain --change says which changes to the policy would change the answer")
  func changes() throws {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let saving = try explain("--change", "policy.isSaveToAllowedForLocation", "location=dropbox")
    #expect(saving.status == 0)
    #expect(saving.lines.first?.hasPrefix("Saving to Dropbox is blocked. ") == true)
    #expect(saving.lines.contains("If saveAsBlocked is false instead of true, saving to Dropbox is allowed."))
    let launch = try explain("--change", "conditionalLaunch.evaluate")
    #expect(launch.lines.contains { $0.contains("If pinRequired is false instead of true") }, "\(launch)")
    let json = try JSONValue(parsing: explain("--change", "--json", "policy.isPINRequired").output)
    #expect(json["changes"]?.arrayValue?.isEmpty == false)
    #expect(try explain("--change", "--all", "policy.isPINRequired").status == 64)
  }

  @Test(
    "The errors of call and explain have hints in command-line syntax, such as location=dropbox",
    arguments: [
      (["call", "policy.isSaveToAllowedForLocation", "location=Dropbox"], "Did you mean location=dropbox?"),
      (["explain", "policy.isSaveToAllowedForLocation", "location=gogleDrive"], "Did you mean location=googleDrive?"),
      (["call", "policy.isPINRequired", "acount=x"], "Did you mean account=?"),
      (["explain", "policy.isPINRequired", "acount=x"], "Did you mean account=?"),
      (["explain", "policy.isURLAllowed"], "Add url=VALUE; mambridge call policy.isURLAllowed --help lists"),
      (["call", "policy.isPinRequird"], "Did you mean policy.isPINRequired? mambridge schema lists all methods"),
      (["call", "nothing.like.it"], "mambridge schema lists all methods"),
      (["explain", "policy.isPinRequird"], "Did you mean policy.isPINRequired? mambridge explain --help"),
      (["explain", "device.get"], "mambridge call device.get answers"),
    ])
  func hints(arguments: [String], hint: String) throws {
    let outcome = try Program.run(arguments + program.options)
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.error?["data"]?["hint"]?.stringValue?.hasPrefix(hint) == true, "\(outcome.errors)")
  }
}
