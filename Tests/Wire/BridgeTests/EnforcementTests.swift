import JSON
import TestSupport
import Testing

@Suite("Enforcement over the wire", .ownThreads) struct EnforcementTests {
  private static let listed: JSONValue = "listed@fabrikam.example"
  private static let closed: JSONValue = "closed@fabrikam.example"

  /// `settings` are members of the policy of the account listed, `others` of that of the account closed.
  private static func host(
    _ settings: String, others: String = "", kind: String = "ios", flags: [String] = []
  ) throws -> TestHost {
    let folder = TenantFolder()
    for (name, settings) in [("listed", settings), ("closed", others)] {
      // A policy without any setting would say nothing.
      let members = settings.isEmpty ? #""contactSyncBlocked": false"# : settings
      folder.write(
        """
        {"@odata.type": "#microsoft.graph.\(kind)ManagedAppProtection", "id": "T_\(name)", "displayName": "\(name)",
         \(members)}
        """, to: "policies/\(name).json")
    }
    let host = try TestHost(tenantFolder: folder, flags: flags + ["MultiManagedIdentities=true"])
    if kind == "android" { _ = try host.call("device.set", ["platform": "android"]) }
    try host.enroll(listed)
    try host.enroll(closed)
    return host
  }

  @Test("On Android, openURL rewrites a link for the policy's browser as an intent with its package")
  func packages() throws {
    let host = try Self.host(
      #""managedBrowserToOpenLinksRequired": true, "customBrowserPackageId": "org.example.bee""#, kind: "android")
    let answer = try host.call("enforcement.openURL", ["url": "https://x.example/a", "account": Self.listed])
    #expect(answer["action"] == "rewrite")
    #expect(answer["package"] == "org.example.bee")
    #expect(answer["url"] == "intent://x.example/a#Intent;scheme=https;package=org.example.bee;end")
    #expect(try host.call("policy.isManagedBrowserRequired", ["account": Self.listed]) == false)
    let edge = try Self.host(#""managedBrowserToOpenLinksRequired": true"#, kind: "android")
    let other = try edge.call("enforcement.openURL", ["url": "https://x.example/a", "account": Self.listed])
    #expect(other["package"] == .null)
    #expect(other["url"] == "microsoft-edge-https://x.example/a")
  }

  @Test("With clipboard sharing blocked, content can be pasted only within the same account and app")
  func blockedClipboard() throws {
    let folder = TenantFolder()
    for name in ["listed", "closed"] {
      folder.write(
        """
        {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_\(name)", "displayName": "\(name)",
         "allowedOutboundClipboardSharingLevel": "blocked"}
        """, to: "policies/\(name).json")
    }
    let flags = ["MultiManagedIdentities=true"]
    let host = try TestHost(.folder(folder.path), tenantFolder: folder, flags: flags)
    let other = try TestHost(
      .folder(folder.path), tenantFolder: folder, flags: flags, folder: host.folder, appId: "com.example.other")
    for app in [host, other] {
      try app.enroll(Self.listed)
      try app.enroll(Self.closed)
    }
    for (name, value) in [("text", "Grüße" as JSONValue), ("data", "AAEC")] {
      let copied = try host.call("enforcement.copy", .object([name: value, "account": Self.listed]))
      #expect(copied["clipboard"] == "protected")
      #expect(copied["refusal"] == .null)
      let payload = try #require(copied[name])
      func paste(_ app: TestHost, _ account: JSONValue) throws -> JSONValue {
        try app.call("enforcement.paste", .object([name: payload, "account": account]))
      }
      let pasted = try paste(host, Self.listed)
      #expect(pasted["allowed"] == true)
      #expect(pasted[name] == value)
      for (app, account) in [(host, Self.closed), (other, Self.listed), (other, Self.closed)] {
        let refused = try paste(app, account)
        #expect(refused["allowed"] == false)
        #expect(refused[name] == .null)
        #expect(refused["refusal"]?["message"] != .null)
      }
      #expect(try paste(host, "eve@home.example")["allowed"] == false)
      let unprotect = name == "text" ? "unprotectString" : "unprotect"
      let params: JSONValue = [payload]
      #expect(try other.error("dataProtectionManager.\(unprotect)", params)["code"] == 1103)
      #expect(try host.call("enforcement.paste", .object([name: value, "account": Self.listed]))["allowed"] == false)
    }
  }

  private static let send = #""allowedOutboundDataTransferDestinations""#

  /// For the account listed, and for one that is not managed.
  @Test(
    "isActionAllowed is false if the setting for the action blocks it",
    arguments: [
      ("print", #""printBlocked": true"#, false, true), ("print", #""printBlocked": false"#, true, true),
      ("print", "", true, true), ("dictation", #""DictationBlocked": true"#, false, true),
      ("backup", #""dataBackupBlocked": true"#, false, true),
      ("genmoji", #""genmojiConfigurationState": "blocked""#, false, true),
      ("genmoji", #""genmojiConfigurationState": "notBlocked""#, true, true),
      ("writingTools", #""writingToolsConfigurationState": "blocked""#, false, true),
      ("writingTools", "", true, true),
      ("saveAs", #""saveAsBlocked": true"#, false, true), ("saveAs", #""saveAsBlocked": false"#, true, true),
      ("saveAs", #"\#(send): "allApps", "saveAsBlocked": true"#, true, true),
      ("saveAs", #"\#(send): "none", "saveAsBlocked": false"#, false, true),
      ("screenCapture", "", true, true), ("screenCapture", #"\#(send): "allApps""#, true, true),
      ("screenCapture", #"\#(send): "managedApps""#, false, true),
      ("screenCapture", #"\#(send): "none""#, false, true),
      ("screenCapture", #"\#(send): "managedApps", "screenCaptureConfigurationState": "notBlocked""#, true, true),
      ("screenCapture", #"\#(send): "allApps", "screenCaptureConfigurationState": "blocked""#, false, true),
      ("thirdPartyKeyboard", #""thirdPartyKeyboardsBlocked": true"#, false, false),
      ("thirdPartyKeyboard", #""thirdPartyKeyboardsBlocked": false"#, true, true),
    ])
  func actions(action: String, settings: String, own: Bool, unmanaged: Bool) throws {
    let host = try Self.host(settings)
    let ask = { (account: JSONValue) in try host.call("enforcement.isActionAllowed", [.string(action), account]) }
    #expect(try ask(Self.listed) == .bool(own))
    #expect(try ask("eve@home.example") == .bool(unmanaged))
  }

  @Test("Screen capture is allowed if the app configuration sets screencapturecontrol to disabled")
  func screenCapture() throws {
    let folder = TenantFolder()
    folder.write(
      """
      {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1",
       "customSettings": [{"name": "com.microsoft.intune.mam.screencapturecontrol", "value": "disabled"}]}
      """, to: "configurations/1.json")
    let host = try TestHost(tenantFolder: folder)
    try host.enroll(Self.listed)
    #expect(try host.call("enforcement.isActionAllowed", ["screenCapture"]) == true)
  }

  @Test("A policy that blocks keyboards blocks them for all accounts, and policy.explain names it")
  func keyboards() throws {
    let host = try Self.host("", others: #""thirdPartyKeyboardsBlocked": true"#)
    #expect(try host.call("enforcement.isActionAllowed", ["thirdPartyKeyboard", Self.listed]) == false)
    let params: JSONValue = ["enforcement.isActionAllowed", ["thirdPartyKeyboard", Self.listed]]
    let steps = try #require(host.call("policy.explain", params)["because"]?.arrayValue)
    let setting = try #require(steps.first { $0["step"] == "setting" })
    #expect(setting["account"]?["identity"] == Self.closed)
    #expect(setting["policy"]?["id"] == "T_closed")
  }

  @Test(
    "On Android, screenCaptureBlocked and keyboardsRestricted decide on screen capture and keyboards",
    arguments: [
      ("screenCapture", nil, #""screenCaptureBlocked": true"#, false),
      ("screenCapture", nil, #"\#(send): "none""#, true),
      ("thirdPartyKeyboard", nil, #""keyboardsRestricted": true"#, false),
      ("thirdPartyKeyboard", nil, #""keyboardsRestricted": false"#, true),
      (
        "thirdPartyKeyboard", "com.example.keys",
        #""keyboardsRestricted": true, "approvedKeyboards": [{"name": "com.example.keys", "value": "Keys"}]"#, true
      ),
      (
        "thirdPartyKeyboard", "com.example.other",
        #""keyboardsRestricted": true, "approvedKeyboards": [{"name": "Keys", "value": "com.example.keys"}]"#, false
      ),
    ] as [(String, String?, String, Bool)])
  func android(action: String, keyboard: String?, settings: String, isAllowed: Bool) throws {
    let host = try Self.host(settings, kind: "android")
    var params: JSONObject = ["action": .string(action), "account": Self.listed]
    params["keyboard"] = keyboard.map(JSONValue.string)
    #expect(try host.call("enforcement.isActionAllowed", .object(params)) == .bool(isAllowed))
  }

  @Test(
    "redactNotification returns the notification, generic words or nothing, by notificationRestriction",
    arguments: [
      ("", true, "Eve", "The figures"), (#""notificationRestriction": "allow""#, true, "Eve", "The figures"),
      (
        #""notificationRestriction": "blockOrganizationalData""#, true, "New notification",
        "Open the app to see it."
      ),
      (#""notificationRestriction": "block""#, false, "", ""),
    ])
  func notifications(settings: String, isShown: Bool, title: String, body: String) throws {
    let host = try Self.host(settings)
    let shown: JSONValue = ["show": .bool(isShown), "title": .string(title), "body": .string(body)]
    #expect(try host.call("enforcement.redactNotification", ["Eve", "The figures", Self.listed]) == shown)
    let plain: JSONValue = ["show": true, "title": "Eve", "body": "The figures"]
    #expect(try host.call("enforcement.redactNotification", ["Eve", "The figures", "eve@home.example"]) == plain)
  }

  @Test("Protected clipboard content can be pasted only into managed accounts")
  func clipboard() throws {
    let level = #""allowedOutboundClipboardSharingLevel": "managedApps""#
    let host = try Self.host(level, others: level)
    for (name, value) in [("text", "Grüße" as JSONValue), ("data", "AAEC")] {
      let copied = try host.call("enforcement.copy", .object([name: value, "account": Self.listed]))
      #expect(copied["clipboard"] == "protected")
      let payload = try #require(copied[name])
      #expect(payload != value)
      for (account, isAllowed) in [(Self.listed, true), (Self.closed, true), ("eve@home.example", false)] {
        let pasted = try host.call("enforcement.paste", .object([name: payload, "account": account]))
        #expect(pasted["allowed"] == .bool(isAllowed))
        #expect(pasted[name] == (isAllowed ? value : JSONValue.null))
      }
      let plain = try host.call("enforcement.paste", .object([name: value, "account": Self.listed]))
      #expect(plain["allowed"] == false)
    }
    #expect(try host.call("enforcement.copy", ["", .null, Self.listed])["clipboard"] == "plain")
    #expect(try host.call("enforcement.paste", ["", .null, Self.listed])["allowed"] == true)
  }

  @Test("enforcement.paste refuses an unenrolled account's content and fails with 1103 if it is damaged")
  func foreignContent() throws {
    let level = #""allowedOutboundClipboardSharingLevel": "managedApps""#
    let host = try Self.host(level, others: level)
    let copied = try host.call("enforcement.copy", ["secret", .null, Self.closed])
    let payload = try #require(copied["text"]?.stringValue)
    let damaged = JSONValue.string(String(payload.dropLast(8)) + "AAAAAAA=")
    #expect(try host.error("enforcement.paste", [damaged, .null, Self.listed])["code"] == 1103)
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": Self.closed])
    #expect(try host.call("enforcement.paste", [.string(payload), .null, Self.listed])["allowed"] == false)
  }

  @Test(
    "enforcement.copy and paste take either text or data", arguments: ["enforcement.copy", "enforcement.paste"],
    [[:], ["text": "x", "data": "AA=="]] as [JSONValue])
  func arguments(method: String, params: JSONValue) throws {
    #expect(try TestHost().error(method, params)["code"] == 1101)
  }

  @Test("openURL without an account uses the window's account, and allows the device's managedAppSchemes")
  func window() throws {
    let host = try Self.host(#"\#(Self.send): "managedApps""#, flags: ["MultiIdentity=true"])
    let open: JSONValue = ["url": "contoso:x", "window": "w"]
    #expect(try host.call("enforcement.openURL", open)["action"] == "open")
    _ = try host.call("policyManager.setUIPolicyIdentity", [Self.listed, "w"])
    let blocked = try host.call("enforcement.openURL", open)
    #expect(blocked["action"] == "block")
    #expect(blocked["url"] == "contoso:x")
    _ = try host.call("device.set", ["managedAppSchemes": ["contoso"]])
    #expect(try host.call("enforcement.openURL", open)["action"] == "open")
  }

  @Test("filterShareTargets removes the targets that may not receive the data and keeps the order")
  func share() throws {
    let host = try Self.host(#"\#(Self.send): "managedApps", "filterOpenInToOnlyManagedApps": true"#)
    let mail: JSONValue = ["id": "com.example.mail", "managed": true, "account": Self.listed]
    let notes: JSONValue = ["id": "com.example.notes", "managed": false]
    let params: JSONValue = ["targets": [mail, notes], "account": Self.listed]
    #expect(try host.call("enforcement.filterShareTargets", params) == ["targets": [mail], "encrypt": true])
  }
}
