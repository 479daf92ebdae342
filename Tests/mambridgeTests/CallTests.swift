import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct CallTests {
  @Test("a result goes to standard output alone, with exit code 0")
  func result() throws {
    let outcome = try Program().call("versionInfo.sdkVersion")
    #expect(outcome == Subprocess.Outcome(status: 0, output: "\"19.2.0\"\n", errors: ""))
  }

  @Test("verbose lines of a call are in the log when it has ended")
  func verboseLines() throws {
    let program = Program()
    let verbose = ["--set", "VerboseLoggingEnabled=true"]
    for count in 1...10 {
      #expect(try program.call("policy.isContactSyncAllowed", options: verbose).status == 0)
      let lines = try program.call(#"diagnosticsLog.query"#, #"{"text": "isContactSyncAllowed", "limit": 99}"#)
      #expect(try JSONValue(parsing: lines.output).arrayValue?.count == count, "\(lines.output)")
    }
  }

  @Test("parameters are pairs, an object or an array")
  func forms() throws {
    let program = Program()
    let enrolled = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    #expect(try JSONValue(parsing: enrolled.output)["statusCode"] == 100)
    let alice = "alice@contoso.example"
    let forms = [
      ["location=sharePoint", "account=\(alice)", "locationAccount=\(alice)"],
      ["location=2", "locationAccount=\(alice)", "account=\(alice)"],
      ["{\"location\": \"sharePoint\", \"account\": \"\(alice)\", \"locationAccount\": \"\(alice)\"}"],
      ["[\"sharePoint\", \"\(alice)\", \"\(alice)\"]"],
    ]
    for form in forms {
      let outcome = try Program.run(["call"] + program.options + ["policy.isSaveToAllowedForLocation"] + form)
      #expect(outcome == Subprocess.Outcome(status: 0, output: "true\n", errors: ""), "\(form)")
    }
  }

  @Test(
    "a value is text where the schema wants text, else JSON",
    arguments: [
      ("diagnosticsLog.write", ["level=info", "message=true"], "null"),
      ("diagnosticsLog.write", ["level=1", "message=a=b"], "null"),
      ("policyManager.isIdentityEqual", ["first=7", "second=7"], "true"),
      ("diagnosticsLog.query", ["limit=1", "text=nothing like it"], "[]"),
      ("dataProtectionManager.unprotectString", ["string={}"], "\"{}\""),
    ])
  func text(_ method: String, _ parameters: [String], _ result: String) throws {
    let outcome = try Program.run(["call"] + Program().options + [method] + parameters)
    #expect(outcome == Subprocess.Outcome(status: 0, output: result + "\n", errors: ""))
  }

  @Test(
    "what is no parameter is 64 and says why",
    arguments: [
      (["location"], "neither name=value"), (["=x"], "neither name=value"), (["{\"location\": "], "not valid JSON"),
      (["[1,]"], "not valid JSON"), (["limit=many"], "limit must be JSON"),
      (["text=a", "text=b"], "text is given twice"),
      (["{}", "text=a"], "neither name=value"),
    ])
  func wrongForms(_ parameters: [String], _ reason: String) throws {
    let outcome = try Program.run(["call"] + Program().options + ["diagnosticsLog.query"] + parameters)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(reason))
  }

  @Test("an error goes to standard error as JSON, with exit code 1; a missing parameter shows its place")
  func error() throws {
    let outcome = try Program().call("policy.isSaveToAllowedForLocation", "account=alice@contoso.example")
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.error?["code"] == -32602)
    #expect(outcome.error?["data"]?["path"] == "/location")
  }

  @Test("an unknown method suggests the nearest name")
  func unknown() throws {
    let outcome = try Program().call("policy.isPinRequired", "account=x")
    #expect(outcome.status == 1)
    #expect(outcome.error?["code"] == -32601)
    #expect(outcome.error?["data"]?["hint"]?.stringValue?.contains("policy.isPINRequired") == true)
  }

  @Test(
    "a secret among the arguments is warned of, and the way without is named",
    arguments: [
      ("pin.set", ["pin=2580"], true), ("pin.set", [#"{"pin": "2580"}"#], true), ("pin.status", [], false),
      ("pin.set", [#"["2580"]"#], true), ("pin.reset", ["accessToken=abc"], true), ("file.tell", ["handle=1"], false),
    ] as [(String, [String], Bool)])
  func secretArguments(_ method: String, _ parameters: [String], _ isWarned: Bool) throws {
    let program = Program()
    let errors = try Program.run(["call"] + program.options + [method] + parameters).errors
    #expect(errors.contains("can see the arguments of a process") == isWarned)
    #expect(errors.contains("standard input") == isWarned)
    #expect(!errors.contains("2580") && !errors.contains("abc"))
  }
}
