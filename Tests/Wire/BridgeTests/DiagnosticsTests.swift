import JSON
import Support
import TestSupport
import Testing

@Suite(.ownThreads, .timeLimit(.minutes(5))) struct DiagnosticsTests {
  @Test("diagnosticsLog.query finds a line by its level, category, text or time")
  func writeAndQuery() throws {
    let host = try TestHost()
    #expect(try host.call("diagnosticsLog.write", ["level": "info", "message": "first"]) == .null)
    host.clock.advance(byMilliseconds: 5000)
    #expect(try host.call("diagnosticsLog.write", [3, "second", "editor"]) == .null)

    let later = TestHost.start.advanced(by: 5000).description
    let line: JSONValue = [
      "time": .string(later), "level": "error", "category": "editor", "message": "second",
    ]
    for query in [
      ["level": "error"], ["category": "editor"], ["text": "seco"], ["since": .string(later)],
      ["category": "editor", "limit": 1, "order": "oldest"],
    ] as [JSONValue] {
      let found = try host.call("diagnosticsLog.query", query).arrayValue?.map { entry in
        #expect(entry["cause"]?["method"] == "diagnosticsLog.write")
        return JSONObject((entry.objectValue?.members ?? []).filter { $0.name != "cause" }.map { ($0.name, $0.value) })
      }
      #expect(found == line.objectValue.map { [$0] }, "\(query.jsonText)")
    }
    let until = try host.call(
      "diagnosticsLog.query", ["until": .string(TestHost.start.description), "category": "host"])
    #expect(until.arrayValue?.map { $0["message"] } == ["first"])
  }

  @Test("diagnosticsLog.query returns the newest lines first unless order is oldest")
  func order() throws {
    let host = try TestHost()
    for text in ["one", "two", "three"] as [JSONValue] {
      _ = try host.call("diagnosticsLog.write", ["level": "info", "message": text, "category": "order"])
      host.clock.advance(byMilliseconds: 1)
    }
    func messages(_ order: JSONValue) throws -> [JSONValue?]? {
      try host.call("diagnosticsLog.query", ["category": "order", "limit": 2, "order": order]).arrayValue?.map {
        $0["message"]
      }
    }
    #expect(try messages("newest") == ["three", "two"])
    #expect(try messages("oldest") == ["one", "two"])
  }

  @Test(
    "diagnosticsLog.query refuses an invalid parameter and names its path",
    arguments: [
      (["limit": 0], "/limit"), (["limit": 10001], "/limit"), (["since": "yesterday"], "/since"),
      (["level": "loud"], "/level"), (["order": "random"], "/order"),
    ] as [(JSONValue, JSONValue)])
  func wrongQuery(_ params: JSONValue, _ path: JSONValue) throws {
    #expect(try TestHost().error("diagnosticsLog.query", params)["data"]?["path"] == path)
  }

  @Test("Log lines above level verbose never contain an account's name or id")
  func personalData() throws {
    let host = try TestHost()
    try host.enroll()
    _ = try host.call("diagnosticsLog.write", ["level": "info", "message": "opened by alice@contoso.example"])
    let lines = try host.call("diagnosticsLog.query", ["limit": 1000])
    #expect(lines.arrayValue?.count ?? 0 >= 2)
    #expect(!lines.jsonText.lowercased().contains("alice"))
    #expect(!lines.jsonText.contains("87d349ed"))
  }

  @Test("Verbose lines are logged only while VerboseLoggingEnabled is true", arguments: [true, false])
  func verbose(_ isEnabled: Bool) throws {
    let host = try TestHost()
    _ = try host.call("settings.set", ["values": ["VerboseLoggingEnabled": .bool(isEnabled)]])
    _ = try host.call("diagnosticsLog.write", ["level": "verbose", "message": "detail", "category": "editor"])
    #expect(try host.call("diagnosticsLog.query", ["category": "editor"]).arrayValue?.count == (isEnabled ? 1 : 0))
  }

  @Test("getIntuneLogPaths returns existing files in the state folder")
  func paths() throws {
    let host = try TestHost()
    _ = try host.call("diagnosticsLog.write", ["level": "info", "message": "first"])
    let paths = try host.call("diagnosticConsole.getIntuneLogPaths").arrayValue ?? []
    #expect(!paths.isEmpty)
    for path in paths.compactMap(\.stringValue) {
      #expect(path.hasPrefix(host.folder.file("state/apps/com.example.test/logs/")))
      #expect(readFile(path) != nil)
    }
  }

  @Test("getDiagnosticInformation returns versions, time, source, accounts, settings and log paths")
  func information() throws {
    let host = try TestHost(flags: ["MultiIdentity=true"])
    try host.enroll()
    let information = try host.call("diagnosticConsole.getDiagnosticInformation")
    #expect(information["version"] == "1.2.3")
    #expect(information["sdkVersion"] == "21.7.1")
    #expect(information["appId"] == "com.example.test")
    #expect(information["platform"] == "ios")
    #expect(information["time"] == .string(TestHost.start.description))
    #expect(information["clock"] == "manual")
    #expect(information["language"] == "en")
    #expect(information["isManagementEnabled"] == true)
    #expect(information["source"] == "sample")
    #expect(information["accounts"]?.arrayValue?.map { $0["identity"] } == ["alice@contoso.example"])
    #expect(information["settings"] == ["MultiIdentity": true])
    #expect(information["logPaths"] == (try host.call("diagnosticConsole.getIntuneLogPaths")))
  }
}
