import Glibc
import JSON
import MAM
import Support
import TestSupport
import Testing

@testable import Cryptography

@Suite(.ownThreads) struct KeysTests {
  private static let alice: JSONValue = "alice@contoso.example"
  let folder = TemporaryFolder()

  /// All on one device.
  private func host(
    _ app: String = "com.example.one", state: String = "state", flags: [String] = ["MultiManagedIdentities=true"],
    configure: (inout CoreConfiguration) -> Void = { _ in }
  ) throws -> TestHost {
    try TestHost(flags: flags, folder: folder, state: state, appId: app, configure: configure)
  }

  private func protect(_ host: TestHost, _ account: JSONValue = alice) throws -> JSONValue {
    try host.call("dataProtectionManager.protectString", ["string": "figures", "account": account])
  }

  private func code(_ host: TestHost, _ method: String, _ params: JSONValue) throws -> JSONValue? {
    try host.error(method, params)["code"]
  }

  @Test("An app can read what another app protected once the account is enrolled in both, and not before")
  func otherApp() throws {
    let (one, other) = (try host(), try host("com.example.other"))
    try one.enroll()
    let protected = try protect(one)
    #expect(try code(other, "dataProtectionManager.unprotectString", [protected]) == 1100)
    #expect(try other.call("dataProtectionManager.protectionInfoForString", [protected])["identity"] == Self.alice)
    try other.enroll()
    #expect(try other.call("dataProtectionManager.unprotectString", [protected]) == "figures")
    let back = try protect(other)
    #expect(try one.call("dataProtectionManager.unprotectString", [back]) == "figures")
  }

  @Test("An app in which only another account is managed cannot read an account's protected data")
  func otherAccount() throws {
    let tenant = TenantFolder()
    let one = try TestHost(.folder(tenant.path), folder: folder, appId: "com.example.one")
    let other = try TestHost(.folder(tenant.path), folder: folder, appId: "com.example.other")
    try one.enroll("listed@fabrikam.example")
    try other.enroll("closed@fabrikam.example")
    let protected = try protect(one, "listed@fabrikam.example")
    #expect(try code(other, "dataProtectionManager.unprotectString", [protected]) == 1103)
  }

  @Test("Data that was protected on one device cannot be read on another, even for an unmanaged account")
  func otherDevice() throws {
    let (here, elsewhere) = (try host(), try host(state: "elsewhere"))
    for host in [here, elsewhere] { try host.enroll() }
    for account in [Self.alice, "bob@contoso.example"] {
      let protected = try protect(here, account)
      #expect(try code(elsewhere, "dataProtectionManager.unprotectString", [protected]) == 1103)
    }
  }

  @Test("Every app on the device can read an unmanaged account's protected data and its owner")
  func ownerOnly() throws {
    let (one, other) = (try host(), try host("com.example.other"))
    try one.enroll()
    let protected = try protect(one, "bob@contoso.example")
    #expect(try other.call("dataProtectionManager.unprotectString", [protected]) == "figures")
    let owner = try other.call("dataProtectionManager.protectionInfoForString", [protected])
    #expect(owner["identity"] == "bob@contoso.example")
  }

  @Test("Protecting data fails with 1102 if no nonce can be generated")
  func encryptionFails() throws {
    let host = try host { $0.makeNonces = { NoNonces() } }
    try host.enroll()
    for account in [Self.alice, "bob@contoso.example"] {
      let error = try host.error("dataProtectionManager.protectString", ["string": "x", "account": account])
      #expect(error["code"] == 1102)
      #expect(error["data"]?["name"] == "failedToEncryptData")
      #expect(error["data"]?["sdkCode"] == 102)
    }
  }

  @Test("A damaged account key fails only the calls that need it, even right after the start")
  func damagedKey() throws {
    let first = try host()
    try first.enroll()
    let protected = try protect(first)
    for path in filesOf(folder: folder.file("state/keys")).flatMap(filesOf) where path.hasSuffix("/1.key") {
      write([UInt8](repeating: 7, count: 4096), to: path)
    }
    let next = try host()
    #expect(try next.call("policyManager.isManagementEnabled") == true)
    let error = try next.error("dataProtectionManager.unprotectString", [protected])
    #expect(error["code"] == 6004)
    #expect(error["data"]?["path"]?.stringValue?.hasSuffix("/1.key") == true)
    #expect(try next.call("dataProtectionManager.unprotectString", ["plain"]) == "plain")
    #expect(try next.call("policy.isPINRequired", ["account": Self.alice]) == true)
  }

  @Test(
    "If a key file is damaged or missing, the server starts and answers, and errors name the file",
    arguments: [nil, 0, 32, 4096] as [Int?])
  func tampered(length: Int?) throws {
    let first = try host()
    try first.enroll()
    let protected = try protect(first)
    _ = try protect(first, "bob@contoso.example")
    let keys = folder.file("state/keys")
    let files = (filesOf(folder: keys) + filesOf(folder: keys).flatMap(filesOf)).filter { filesOf(folder: $0).isEmpty }
    #expect(files.count == 5)
    for path in files where !path.hasSuffix("/epoch") {
      let good = try #require(readFile(path))
      unlink(path)
      if let length { write([UInt8](repeating: 7, count: length), to: path) }
      let next = try host()
      #expect(try next.call("policyManager.isManagementEnabled") == true)
      #expect(try next.call("dataProtectionManager.unprotectString", ["plain"]) == "plain")
      let reply = try next.reply("dataProtectionManager.unprotectString", [protected])
      if let error = reply["error"] {
        #expect([6002, 6003, 6004, 1103].contains(error["code"]), "\(error.jsonText)")
        #expect(error["code"] == 1103 || error["data"]?["path"] != nil)
      } else {
        #expect(reply["result"] == "figures")
        #expect(path.hasSuffix("/1.key"))
      }
      unlink(path)
      write(good, to: path)
    }
    write([1, 2, 3], to: keys + "/epoch")
    #expect(try host().call("dataProtectionManager.unprotectString", [protected]) == "figures")
  }

  @Test("protectionInfoForItemProvider returns the owner of the item's bytes or of the file that it names")
  func itemProvider() throws {
    let host = try host()
    try host.enroll()
    let data = try host.call("dataProtectionManager.protect", ["data": "aGVsbG8=", "account": Self.alice])
    let bytes = try #require(Base64Bytes(text: data.stringValue ?? "")).bytes
    let path = folder.file("note of alice")
    write(bytes, to: path)
    let url = "file://\(path.split(separator: " ").joined(separator: "%20"))"
    let owned: [JSONValue] = [
      ["data": data], ["typeIdentifier": "public.text", "data": data], ["path": .string(path)], ["url": .string(url)],
    ]
    for provider in owned {
      #expect(try owner(host, provider)["identity"] == Self.alice, "\(provider.jsonText)")
    }
    folder.write("plain", to: "plain")
    let others: [JSONValue] = [
      .null, [:], ["data": "aGVsbG8="], ["path": .string(folder.file("plain"))], ["path": "/no/such/file"],
      ["url": "https://contoso.example/note"], ["url": "file://other.example/note"], ["path": "/"],
    ]
    for provider in others { #expect(try owner(host, provider) == .null, "\(provider.jsonText)") }
    let method = "dataProtectionManager.protectionInfoForItemProvider"
    write(Array(bytes.prefix(30)), to: path)
    #expect(try code(host, method, ["itemProvider": ["path": .string(path)]]) == 1103)
  }

  private func owner(_ host: TestHost, _ provider: JSONValue) throws -> JSONValue {
    try host.call("dataProtectionManager.protectionInfoForItemProvider", ["itemProvider": provider])
  }

  @Test("dataProtectionManager.didChange is sent when a policy starts or stops requiring encrypted files")
  func levelEvent() throws {
    let tenant = TenantFolder()
    let host = try TestHost(tenantFolder: tenant)
    try host.enroll("listed@fabrikam.example")
    let policy =
      ##""@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed""##
    for (members, expected) in [
      (#", "appDataEncryptionType": "whenDeviceLocked""#, 1), (#", "appDataEncryptionType": "afterDeviceRestart""#, 1),
      (#", "appDataEncryptionType": "useDeviceSettings""#, 2), (#", "pinRequired": true"#, 2),
    ] {
      tenant.write("{\(policy)\(members)}", to: "policies/listed.json")
      _ = try host.call("tenant.checkIn")
      let events = try host.call("events.list", ["types": ["dataProtectionManager.didChange"]])["events"]?.arrayValue
      #expect(events?.count == expected)
      #expect(events?.last?["params"]?["identity"] == "listed@fabrikam.example")
    }
  }
}

private func write(_ bytes: [UInt8], to path: String) {
  umask(0o077)
  guard let file = fopen(path, "wb") else { return }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

private struct NoNonces: NonceSource {
  func next(into nonce: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    throw CryptographyError(.library, in: "Random")
  }
}
