import JSON
import Model
import TestSupport
import Testing

@Suite struct LinkTests {
  private static let policy = """
    {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed",
     "allowedOutboundDataTransferDestinations": "managedApps", "allowedInboundDataTransferSources": "managedApps",
     "managedBrowserToOpenLinksRequired": true, "dialerRestrictionLevel": "managedApps",
     "exemptedAppProtocols": [{"name": "Default", "value": "skype;itms"}],
     "managedUniversalLinks": ["https://*.sharepoint.com/*"]}
    """

  private func host(_ policy: String = Self.policy) throws -> TestHost {
    let folder = TenantFolder()
    folder.write(policy, to: "policies/listed.json")
    let host = try TestHost(tenantFolder: folder)
    try host.enroll("listed@fabrikam.example")
    return host
  }

  @Test("policy.isURLAllowed decides by scheme, the policy's exemptions and the device's managedAppSchemes")
  func urls() throws {
    let host = try host()
    for (url, isAllowed) in [
      ("https://contoso.example", false), ("skype:eve", true), ("contoso:x", false), ("tel:1", false),
      ("contoso-intunemam:x", true),
    ] as [(JSONValue, JSONValue)] {
      #expect(try host.call("policy.isURLAllowed", [url]) == isAllowed)
      #expect(try host.call("policy.isURLAllowed", ["url": url, "account": ""]) == true)
    }
    #expect(try host.call("policy.isURLAllowed", ["url": "contoso:x", "isKnownManagedAppScheme": true]) == true)
    _ = try host.call("device.set", ["managedAppSchemes": ["Contoso", "tel"]])
    #expect(try host.call("policy.isURLAllowed", ["contoso:x"]) == true)
    #expect(try host.call("policy.isURLAllowed", ["tel:1"]) == true)
  }

  @Test("policy.isUniversalLinkAllowed is true only for links in the policy's managedUniversalLinks")
  func universalLinks() throws {
    let host = try host()
    #expect(try host.call("policy.isUniversalLinkAllowed", ["https://a.sharepoint.com/x"]) == true)
    #expect(try host.call("policy.isUniversalLinkAllowed", ["https://sharepoint.example/"]) == false)
  }

  @Test(
    "isURLAllowed and isUniversalLinkAllowed refuse a URL without a scheme",
    arguments: ["policy.isURLAllowed", "policy.isUniversalLinkAllowed"])
  func wrong(method: String) throws {
    let error = try host().error(method, ["url": "contoso.example"])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/url")
  }

  @Test("policy.isDocumentPickerAllowed is false if the policy allows no data transfer")
  func documentPicker() throws {
    let host = try TestHost(tenantFolder: TenantFolder())
    try host.enroll("closed@fabrikam.example")
    for mode in DocumentPickerMode.allCases {
      #expect(try host.call("policy.isDocumentPickerAllowed", [.string(mode.rawValue)]) == false)
      #expect(try self.host().call("policy.isDocumentPickerAllowed", [.string(mode.rawValue)]) == true)
    }
  }

  @Test("A managed account can receive only managed items and files, and an unmanaged account only others")
  func receiving() throws {
    let host = try host()
    let data = try host.call(
      "dataProtectionManager.protect", [.string(Base64Bytes([1]).text), "listed@fabrikam.example"])
    let path: JSONValue = .string(host.folder.file("own"))
    let handle = try #require(try host.call("file.create", [path])["handle"])
    _ = try host.call("file.close", [handle])
    for (provider, isAllowed) in [
      (["data": data], true), (["data": "AQ=="], false), (["data": ""], false), (["path": path], true),
      (["url": "https://contoso.example"], false),
    ] as [(JSONValue, JSONValue)] {
      #expect(try host.call("policy.canReceiveSharedItemProvider", [provider]) == isAllowed)
    }
    // An unmanaged receiver gets nothing of a managed account, and everything else.
    #expect(
      try host.call("policy.canReceiveSharedItemProvider", ["itemProvider": ["data": data], "account": ""]) == false)
    #expect(
      try host.call("policy.canReceiveSharedItemProvider", ["itemProvider": ["data": "AQ=="], "account": ""]) == true)
    #expect(try host.call("policy.canReceiveSharedFile", [path]) == true)
    #expect(try host.call("policy.canReceiveSharedFile", ["/nowhere/at/all"]) == false)
    #expect(try host.call("policy.canReceiveSharedFile", ["path": path, "account": ""]) == false)
  }
}
