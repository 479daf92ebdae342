import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct StateTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]

  @Test("Accounts and protected data survive the end of the server and kill -9", arguments: [SIGTERM, SIGKILL])
  func restart(_ number: Int32) throws {
    let program = Program()
    let server = try program.start()
    #expect(try server.ask("enrollmentManager.registerAndEnrollAccount", Self.alice)["result"]?["statusCode"] == 100)
    let params: JSONValue = ["string": "secret", "account": "alice@contoso.example"]
    let protected = try #require(server.ask("dataProtectionManager.protectString", params)["result"])
    server.send(signal: number)
    #expect(try server.wait().status == (number == SIGKILL ? -SIGKILL : 0))

    let next = try program.start()
    #expect(try next.ask("enrollmentManager.registeredAccounts")["result"]?.arrayValue?.count == 1)
    #expect(try next.ask("policy.isPINRequired")["result"] == true)
    #expect(
      try next.ask("appConfig.stringValueForKey", ["key": "example.greeting", "account": "alice@contoso.example"])[
        "result"] == "Hello Alice Adams")
    #expect(try next.ask("dataProtectionManager.unprotectString", ["string": protected])["result"] == "secret")
    #expect(try next.ask("enrollmentManager.registerAndEnrollAccount", Self.alice)["result"]?["statusCode"] == 208)
  }

  @Test("Two processes with the same state see each other's changes at the next request")
  func twoProcesses() throws {
    let program = Program()
    let (first, second) = (try program.start(), try program.start())
    for server in [first, second] { #expect(try server.ask("policy.isPINRequired")["result"] == false) }
    _ = try first.ask("enrollmentManager.registerAndEnrollAccount", Self.alice)
    #expect(try second.ask("policy.isPINRequired")["result"] == true)
    let params: JSONValue = ["string": "secret", "account": "alice@contoso.example"]
    let protected = try #require(second.ask("dataProtectionManager.protectString", params)["result"])
    #expect(try first.ask("dataProtectionManager.unprotectString", ["string": protected])["result"] == "secret")
    _ = try second.ask("enrollmentManager.deRegisterAndUnenrollAccount", Self.alice)
    #expect(try first.ask("policy.isPINRequired")["result"] == false)
    #expect(try first.ask("enrollmentManager.registeredAccounts")["result"] == [])
  }

  @Test("Another process can answer a sign-in challenge, and the token is in no file")
  func challengeOfAnotherProcess() throws {
    let program = Program()
    let (asker, other) = (try program.start(), try program.start())
    let error = try asker.ask("enrollmentManager.loginAndEnrollAccount", Self.alice)["error"]
    let id = try #require(error?["data"]?["challenge"]?["id"])
    let answer: JSONValue = ["challenge": id, "accessToken": "open sesame"]
    #expect(try other.ask("conditionalLaunch.answer", answer)["result"]?["accepted"] == true)
    #expect(try asker.ask("enrollmentManager.loginAndEnrollAccount", Self.alice)["result"]?["statusCode"] == 100)
    for folder in ["", "/logs"] {
      for bytes in filesOf(folder: "\(program.state)/apps/com.example.host\(folder)").compactMap(readFile) {
        #expect(!String(decoding: bytes, as: UTF8.self).contains("sesame"))
      }
    }
  }

  @Test("Apps that share a state folder do not see each other's accounts")
  func twoApps() throws {
    let program = Program()
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let other = try program.call("enrollmentManager.registeredAccounts", options: ["--app-id", "com.example.other"])
    #expect(other.output == "[]\n")
  }

  @Test("If its state folder is a file, the server returns error 6001 and keeps running")
  func stateIsFile() throws {
    let program = Program()
    program.folder.write("no folder", to: "state")
    let server = try program.start()
    let error = try server.ask("enrollmentManager.registeredAccounts")["error"]
    #expect(error?["code"] == 6001)
    #expect(error?["data"]?["name"] == "storeUnavailable")
    #expect(error?["data"]?["path"] == .string(program.state))
    #expect(error?["data"]?["hint"]?.stringValue?.contains("--state") == true)
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
    unlink(program.state)
    #expect(try server.ask("enrollmentManager.registeredAccounts")["result"] == [])
  }

  @Test("No command leaves a write-ahead log, which could contain deleted data")
  func noLog() throws {
    let program = Program()
    let (plan, copy) = (program.folder.file("plan.txt"), program.folder.file("copy.txt"))
    let alice = ["--account", "alice@contoso.example"]
    for command in [
      ["call", "enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"],
      ["files", "write", plan] + alice, ["files", "cat", plan], ["files", "info", plan], ["files", "check", plan],
      ["files", "export", plan, "--output", copy], ["files", "protect", copy] + alice, ["keys", "rotate"] + alice,
      ["diagnostics"],
    ] {
      #expect(try Program.run(command + program.options, input: "figures").status == 0, "\(command)")
      let logs = try Subprocess.run("/usr/bin/find", [program.state, "-name", "*-wal"]).output
      #expect(logs.isEmpty, "\(command)")
    }
  }

  @Test("A damaged database causes error 6004 with its path and a hint, and the server keeps running")
  func damagedDatabase() throws {
    let program = Program()
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    let database = "state/apps/com.example.host/state.db"
    program.folder.write("this is no such file, although it is long enough for one", to: database)
    // From its log, where the program left one, the database would be restored.
    for name in ["-wal", "-shm"] { unlink(program.folder.file(database + name)) }
    let server = try program.start()
    for method in ["policy.isPINRequired", "enrollmentManager.enrolledAccounts", "tenant.status"] {
      let error = try server.ask(method)["error"]
      #expect(error?["code"] == 6004)
      #expect(error?["data"]?["path"] == .string(program.folder.file(database)))
      #expect(error?["data"]?["hint"]?.stringValue?.isEmpty == false)
    }
    #expect(try server.ask("versionInfo.sdkVersion")["result"] == "21.7.1")
  }

  @Test("If the tenant folder becomes invalid, a check-in returns 206 and the last policy still applies")
  func brokenTenant() throws {
    let program = Program()
    let tenant = program.folder.file("tenant")
    let options = ["--state", program.state, "--tenant", tenant]
    program.folder.write(
      #"{"tenantId": "t", "users": [{"id": "f10a0000-0000-4000-8000-000000000001", "userPrincipalName": "a@b.c"}]}"#,
      to: "tenant/tenant.json")
    program.folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "pinRequired": true}"##,
      to: "tenant/policies/one.json")
    let enrolled = try Program.run(
      ["call"] + options + ["enrollmentManager.registerAndEnrollAccount", "account=a@b.c"])
    #expect(try JSONValue(parsing: enrolled.output)["statusCode"] == 100)
    program.folder.write("{", to: "tenant/policies/one.json")
    let checked = try Program.run(["call"] + options + ["tenant.checkIn"])
    #expect(try JSONValue(parsing: checked.output).arrayValue?.first?["statusCode"] == 206)
    #expect(try Program.run(["call"] + options + ["policy.isPINRequired"]).output == "true\n")
  }

  @Test("Only its owner can access the state folder")
  func permissions() throws {
    let program = Program()
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example")
    for path in [program.state] + filesOf(folder: program.state + "/apps/com.example.host") {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o077 == 0, "\(path)")
    }
  }
}
