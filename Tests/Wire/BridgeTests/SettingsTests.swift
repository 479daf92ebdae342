import JSON
import Model
import TestSupport
import Testing

@Suite(.ownThreads) struct SettingsTests {
  private func value(_ host: TestHost, _ name: String) throws -> JSONValue {
    let settings = try host.call("settings.get", ["names": [.string(name)]])
    return try #require(settings[name]?["value"])
  }

  private func set(_ host: TestHost, _ values: JSONValue) throws {
    #expect(try host.call("settings.set", ["values": values]) == .null)
  }

  @Test("settings.get returns every setting with its value, source, default, type, property and meaning")
  func all() throws {
    let settings = try TestHost(flags: ["MultiIdentity=true", "sdkLevel=21"]).call("settings.get").objectValue ?? [:]
    #expect(Set(settings.names) == Set(SettingKey.allCases.map(\.name)))
    for key in SettingKey.allCases {
      let shown = try #require(settings[key.name])
      #expect(shown["default"] == key.defaultValue)
      #expect(shown["type"] == .string(key.type.rawValue))
      #expect(shown["meaning"] == .string(key.meaning))
      #expect(shown["iosOnly"] == .bool(key.isIOSOnly))
      #expect(shown["property"] == key.property.map(JSONValue.string) ?? .null)
      #expect(shown["source"] == ([.multiIdentity, .sdkLevel].contains(key) ? "flag" : "default"))
    }
    #expect(settings["MultiIdentity"]?["value"] == true)
  }

  @Test(
    "settings.get lists a setting with two names once, under the name of the connection's SDK level",
    arguments: [
      (19, "MultipleManagedAccounts", "MultiManagedIdentities"),
      (21, "MultiManagedIdentities", "MultipleManagedAccounts"),
    ])
  func alias(_ level: Int64, _ shown: String, _ hidden: String) throws {
    let host = try TestHost()
    _ = try host.call("initialize", ["sdkLevel": .integer(level)])
    try set(host, [hidden: true])
    let settings = try host.call("settings.get")
    #expect(settings[shown]?["value"] == true)
    #expect(settings[hidden] == nil)
    #expect(try value(host, hidden) == true)
    #expect(try value(host, shown) == true)
    try set(host, [shown: .null])
    #expect(try value(host, hidden) == false)
  }

  @Test("settings.set logs a warning for the older name of a setting, and refuses both names in one call")
  func olderName() throws {
    let host = try TestHost()
    try set(host, ["MultipleManagedAccounts": true])
    let lines = try host.call("diagnosticsLog.query", ["level": "warning", "text": "MultiManagedIdentities"])
    #expect(lines.arrayValue?.count == 1)
    let both: JSONValue = ["MultiManagedIdentities": true, "MultipleManagedAccounts": true]
    #expect(try host.error("settings.set", ["values": both])["code"] == -32602)
  }

  @Test("settings.get accepts the name of a setting or of its property, and returns it under that name")
  func names() throws {
    let settings = try TestHost().call("settings.get", ["names": ["backgroundColor", "SplashDuration"]])
    #expect(settings.objectValue?.names.sorted() == ["SplashDuration", "backgroundColor"])
    #expect(settings["SplashDuration"]?["value"] == 1.5)
  }

  @Test(
    "settings.set overrides a setting by either name until it is set to null or empty", arguments: SettingKey.allCases)
  func override(_ key: SettingKey) throws {
    let host = try TestHost()
    let value = key.type.sample
    for end in [JSONValue.null, ""] {
      try set(host, [key.name: value])
      let shown = try host.call("settings.get", ["names": [.string(key.property ?? key.name)]])
      #expect(shown[key.property ?? key.name]?["value"] == value)
      #expect(shown[key.property ?? key.name]?["source"] == "override")
      try set(host, [key.property ?? key.name: end])
      #expect(try self.value(host, key.name) == key.defaultValue)
    }
  }

  static let refused: [(JSONValue, String, String)] = [
    (["MultiIdentity": "YES"], "MultiIdentity", "true or false"),
    (["SplashDuration": "2"], "SplashDuration", "a number"),
    (["backgroundColor": "red"], "backgroundColor", "hexadecimal"), (["AccentColor": "#12345"], "AccentColor", "color"),
    (["accentColor": 255], "accentColor", "color"),
    (["AppGroupIdentifiers": ["a", 1]], "AppGroupIdentifiers", "array"),
    (["ADALClientId": 5], "ADALClientId", "a string"),
    (["aadAuthorityUriOverride": "login"], "aadAuthorityUriOverride", "URI"),
    (["sdkLevel": 20], "sdkLevel", "19 or 21"), (["sdkLevel": "21"], "sdkLevel", "19 or 21"),
    (["NoSuchSetting": 1], "NoSuchSetting", "settings.get"),
    (["backgroundcolor": "#111111"], "backgroundcolor", "is not a setting"),
    (["AccentColor": "#111111", "accentColor": "#222222"], "accentColor", "same setting"),
  ]

  @Test(
    "settings.set refuses an invalid value with the setting's name, and applies nothing of the call",
    arguments: refused)
  func refusal(_ values: JSONValue, _ name: String, _ text: String) throws {
    let host = try TestHost()
    var all = values.objectValue ?? [:]
    all["SupportsDarkMode"] = false
    let error = try host.error("settings.set", ["values": .object(all)])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == .string("/values/" + name))
    #expect(error["message"]?.stringValue?.contains(text) == true, "\(error.jsonText)")
    #expect(try value(host, "SupportsDarkMode") == true)
  }

  @Test("settings.get refuses an unknown name and names its path")
  func unknownName() throws {
    let error = try TestHost().error("settings.get", ["names": ["MultiIdentity", "nothing"]])
    #expect(error["data"]?["path"] == "/names/1")
  }

  @Test("Overrides of settings apply in all processes, survive a restart and take precedence over flags")
  func restart() throws {
    let folder = TemporaryFolder()
    let first = try TestHost(flags: ["AccentColor=111111"], folder: folder)
    #expect(try value(first, "accentColor") == "#111111")
    try set(first, ["accentColor": "abcdef"])
    let second = try TestHost(flags: ["AccentColor=333333"], folder: folder)
    #expect(try value(second, "accentColor") == "#ABCDEF")
    try set(second, ["AccentColor": .null])
    #expect(try value(first, "accentColor") == "#111111")
    #expect(try value(second, "accentColor") == "#333333")
  }

  @Test("Unenrolling an account ends the overrides for its sign-in and keeps other overrides")
  func unenroll() throws {
    let names = ["aadAuthorityUriOverride", "aadRedirectUriOverride", "aadClientIdOverride", "accentColor"]
    let host = try TestHost(flags: ["MultiManagedIdentities=true"])
    try set(
      host,
      [
        "aadAuthorityUriOverride": "https://login.example/1", "aadRedirectUriOverride": "app://back",
        "aadClientIdOverride": "client", "accentColor": "#ABCDEF",
      ])
    func values() throws -> [JSONValue] { try names.map { try value(host, $0) } }
    let set = try values()
    try host.enroll("bob@contoso.example")
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": "bob@contoso.example"])
    #expect(try values() == set)
    try host.enroll()
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    #expect(try values() == [.null, .null, .null, "#ABCDEF"])
  }

  @Test("settings.aadAuthorityUris returns the override, the account's tenant and the default, each once")
  func authorities() throws {
    let host = try TestHost()
    func authorities(_ account: JSONValue = .null) throws -> JSONValue {
      try host.call("settings.aadAuthorityUris", ["account": account])
    }
    let (usual, alice) = (JSONValue("https://login.microsoftonline.com/common"), JSONValue.string(TestHost.alice))
    #expect(try authorities() == [usual])
    #expect(try authorities(alice) == [usual])
    try host.enroll()
    let tenant = try #require(host.call("tenant.status")["tenantId"]?.stringValue)
    #expect(try authorities() == [usual])
    #expect(try authorities(alice) == [.string("https://login.microsoftonline.com/\(tenant)"), usual])
    try set(
      host, ["aadAuthorityUriOverride": "https://login.example/own", "ADALAuthority": "https://login.example/own"])
    #expect(
      try authorities(alice) == ["https://login.example/own", .string("https://login.example/\(tenant)")])
  }

  @Test("An override of a setting takes effect at once, and in other processes at their next call")
  func effect() throws {
    let folder = TemporaryFolder()
    let (first, second) = (try TestHost(folder: folder), try TestHost(folder: folder))
    #expect(try second.call("policy.isPINRequired") == false)
    try set(first, ["MAMPolicyRequired": true])
    #expect(try second.error("policy.isPINRequired")["data"]?["name"] == "policyRequired")
    try first.enroll()
    #expect(try second.call("policy.isPINRequired") == true)
    try set(first, ["MultiIdentity": true])
    #expect(try second.call("policy.isPINRequired") == false)
    try set(
      first, ["MultiManagedIdentities": true, "VerboseLoggingEnabled": true, "valuesToScrubFromLogging": ["zebra"]])
    #expect(try second.call("diagnosticConsole.getDiagnosticInformation")["settings"]?["MultiIdentity"] == true)
    _ = try second.call("diagnosticsLog.write", ["level": "verbose", "message": "a zebra=5 here=1"])
    let lines = try first.call("diagnosticsLog.query", ["level": "verbose", "text": "here"])
    #expect(lines.arrayValue?.map { $0["message"] } == ["a zebra=*** here=1"])
  }
}

extension SettingForm {
  fileprivate var sample: JSONValue {
    switch self {
    case .bool: true
    case .number: 2.5
    case .string: "text"
    case .stringList: ["a", "b"]
    case .color: "#00AAFF"
    case .url: "scheme://host/path"
    case .sdkLevel: 21
    case .strictMode: "report"
    }
  }
}
