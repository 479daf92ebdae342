import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct CallTests {
  @Test("call prints the result to standard output, nothing to standard error, and exits with 0")
  func result() throws {
    let outcome = try Program().call("versionInfo.sdkVersion")
    #expect(outcome == Subprocess.Outcome(status: 0, output: "\"21.7.1\"\n", errors: ""))
  }

  @Test("The verbose log lines of a call are in the log by the time it exits")
  func verboseLines() throws {
    let program = Program()
    let verbose = ["--set", "VerboseLoggingEnabled=true"]
    for count in 1...10 {
      #expect(try program.call("policy.isContactSyncAllowed", options: verbose).status == 0)
      let lines = try program.call(#"diagnosticsLog.query"#, #"{"text": "isContactSyncAllowed", "limit": 99}"#)
      #expect(try JSONValue(parsing: lines.output).arrayValue?.count == count, "\(lines.output)")
    }
  }

  @Test("call takes parameters as name=value pairs, a JSON object or a JSON array")
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
    "call passes a value as text if the schema expects a string, and otherwise as JSON",
    arguments: [
      ("diagnosticsLog.write", ["level=info", "message=true"], "null"),
      ("diagnosticsLog.write", ["level=1", "message=a=b"], "null"),
      ("policyManager.isIdentityEqual", ["first=7", "second=7"], "true"),
      ("diagnosticsLog.query", ["limit=1", "text=nothing like it"], "[]"),
      ("dataProtectionManager.unprotectString", ["string={}"], "\"{}\""),
      ("dataProtectionManager.unprotectString", ["string:=\"@x\""], "\"@x\""),
      ("policyManager.isIdentityEqual", ["first:=\"7\"", "second=7"], "true"),
    ])
  func text(_ method: String, _ parameters: [String], _ result: String) throws {
    let outcome = try Program.run(["call"] + Program().options + [method] + parameters)
    #expect(outcome == Subprocess.Outcome(status: 0, output: result + "\n", errors: ""))
  }

  @Test(
    "call - reads the parameters from standard input as a JSON object or array",
    arguments: [(#"{"first": "a", "second": "A"}"#, "true\n"), (#" ["a", "b"] "#, "false\n")])
  func input(_ text: String, _ result: String) throws {
    let outcome = try Program.run(
      ["call"] + Program().options + ["policyManager.isIdentityEqual", "-"], input: text + "\n")
    #expect(outcome == Subprocess.Outcome(status: 0, output: result, errors: ""))
    let none = try Program.run(["call"] + Program().options + ["versionInfo.sdkVersion", "-"], input: " \n")
    #expect(none.output == "\"21.7.1\"\n")
  }

  @Test("call takes the value of name=@FILE from the file, as text, base64 or JSON")
  func fileValues() throws {
    let program = Program()
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let bytes = program.folder.write("a\u{0}b\n", to: "bytes")
    let protected = try program.call(
      "dataProtectionManager.protect", "data=@\(bytes)", "account=alice@contoso.example")
    let result = program.folder.write(protected.output, to: "protected.json")
    let plain = try program.call("dataProtectionManager.unprotect", "data:=@\(result)")
    #expect(plain == Subprocess.Outcome(status: 0, output: "\"YQBiCg==\"\n", errors: ""))
    let text = program.folder.write("two\nlines\n", to: "text")
    let string = try program.call("dataProtectionManager.unprotectString", "string=@\(text)")
    #expect(string.output == "\"two\\nlines\\n\"\n")
    let level = program.folder.write("info\n", to: "level")
    #expect(try program.call("diagnosticsLog.write", "level=@\(level)", "message:=\"@x\"").status == 0)
    let number = program.folder.write("1\n", to: "number")
    #expect(try program.call("diagnosticsLog.query", "limit=@\(number)", "text=@x").status == 1)
    #expect(try program.call("diagnosticsLog.query", "limit=@\(number)", "text:=\"@x\"").output.contains("@x"))
  }

  @Test("call reads pin=@- from standard input, and drops the newline at the end of a secret")
  func secretFromInput() throws {
    let program = Program()
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let set = try Program.run(
      ["call"] + program.options + ["pin.set", "account=alice@contoso.example", "pin=@-"], input: "2580\n")
    #expect(set == Subprocess.Outcome(status: 0, output: "null\n", errors: ""))
    let (pin, new) = (program.folder.write("2580\n", to: "pin"), program.folder.write("1470", to: "new"))
    let changed = try program.call("pin.change", "account=alice@contoso.example", "pin=@\(pin)", "newPin=@\(new)")
    #expect(changed.status == 0)
    #expect(changed.errors == "")
  }

  @Test("call says why it cannot read the file in name=@FILE, and how to pass a text that starts with @")
  func unreadableFiles() throws {
    let program = Program()
    for (name, reason) in [("gone", "No such file"), ("", "Is a directory")] {
      let outcome = try program.call("diagnosticsLog.query", "text=@\(program.folder.file(name))")
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.output == "", "\(outcome)")
      #expect(outcome.errors.contains(reason), "\(outcome)")
      #expect(outcome.errors.contains(#"text:='"@…"'"#))
    }
    let bytes = program.folder.file("bytes")
    _ = try Subprocess.run("/bin/sh", ["-c", "printf '\\377' >\(bytes)"])
    let outcome = try program.call("diagnosticsLog.query", "text=@\(bytes)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("must be UTF-8"))
  }

  @Test("Standard input cannot provide both the passphrase and the parameters of call", arguments: ["-", "string=@-"])
  func inputTwice(_ parameter: String) throws {
    let outcome = try Program.run(
      ["call"] + Program().options + ["--passphrase-fd", "0", "dataProtectionManager.protectString", parameter],
      input: "correct horse\n{}")
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--passphrase-fd 3"))
  }

  @Test(
    "call exits with 64 and says why if a parameter is malformed",
    arguments: [
      (["location"], "neither name=value"), (["=x"], "neither name=value"), (["{\"location\": "], "not valid JSON"),
      (["[1,]"], "not valid JSON"), (["limit=many"], "limit must be JSON"),
      (["text=a", "text=b"], "text is given twice"),
      (["{}", "text=a"], "neither name=value"), (["-", "text=a"], "pass - alone"), ([":=1"], "neither name=value"),
      (["limit:=many"], "limit must be JSON"),
    ])
  func wrongForms(_ parameters: [String], _ reason: String) throws {
    let outcome = try Program.run(["call"] + Program().options + ["diagnosticsLog.query"] + parameters)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(reason))
  }

  @Test(
    "An error about a Boolean parameter says that it must be true or false",
    arguments: [
      ("device.set", "jailbroken=yes", "jailbroken must be true or false, not \"yes\""),
      ("device.set", "jailbroken=", "jailbroken must be true or false, not \"\""),
      ("device.set", "jailbroken=1", "/jailbroken must be true or false, not an integer"),
      ("complianceManager.remediateCompliance", "silent=True", "silent must be true or false, not \"True\""),
    ])
  func wrongFlag(_ method: String, _ parameter: String, _ reason: String) throws {
    let outcome = try Program().call(method, parameter)
    #expect(outcome.status != 0)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains(reason), "\(outcome.errors)")
  }

  @Test("call reports a missing parameter and a misspelled one in the same error")
  func misspelled() throws {
    let outcome = try Program().call("policy.isSaveToAllowedForLocation", "loaction=dropbox")
    #expect(outcome.error?["message"] == "/location is missing, and /loaction is not known")
    #expect(outcome.error?["data"]?["path"] == "/location")
  }

  @Test("call prints an error as JSON to standard error and exits with 1")
  func error() throws {
    let outcome = try Program().call("policy.isSaveToAllowedForLocation", "account=alice@contoso.example")
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.error?["code"] == -32602)
    #expect(outcome.error?["data"]?["path"] == "/location")
  }

  @Test("call suggests the nearest name for an unknown method")
  func unknown() throws {
    let outcome = try Program().call("policy.isPinRequired", "account=x")
    #expect(outcome.status == 1)
    #expect(outcome.error?["code"] == -32601)
    #expect(outcome.error?["data"]?["hint"]?.stringValue?.contains("policy.isPINRequired") == true)
  }

  @Test(
    "call warns of a secret among its arguments and says to use standard input instead",
    arguments: [
      ("pin.set", ["pin=2580"], true), ("pin.set", [#"{"pin": "2580"}"#], true), ("pin.status", [], false),
      ("pin.set", [#"["2580"]"#], true), ("pin.set", ["pin:=\"2580\""], true), ("pin.set", ["pin=@/dev/null"], false),
      ("pin.set", ["-"], false), ("pin.reset", ["accessToken=abc"], true), ("file.tell", ["handle=1"], false),
    ] as [(String, [String], Bool)])
  func secretArguments(_ method: String, _ parameters: [String], _ isWarned: Bool) throws {
    let program = Program()
    let errors = try Program.run(["call"] + program.options + [method] + parameters).errors
    #expect(errors.contains("can see the arguments of a process") == isWarned)
    #expect(errors.contains("standard input") == isWarned)
    #expect(!errors.contains("2580"))
    #expect(!errors.contains("abc"))
  }
}
