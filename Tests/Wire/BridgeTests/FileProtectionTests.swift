import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct FileProtectionTests {
  private static let alice: JSONValue = "alice@contoso.example"

  private func enrolledHost() throws -> TestHost {
    let host = try TestHost()
    try host.enroll()
    host.folder.write("Quarterly figures", to: "documents/report")
    return host
  }

  private func path(_ host: TestHost, _ name: String = "documents/report") -> JSONValue {
    .string(host.folder.file(name))
  }

  private func text(_ host: TestHost, _ name: String = "documents/report") -> String {
    String(decoding: readFile(host.folder.file(name)) ?? [], as: UTF8.self)
  }

  @Test("Methods that give a file an owner refuse an account name that is too long")
  func longName() throws {
    let host = try enrolledHost()
    let name = JSONValue.string(String(repeating: "x", count: 1100))
    let methods = ["fileProtectionManager.protect", "fileProtectionManager.verifyAndProtect", "file.protectFileAtPath"]
    for method in methods {
      #expect(try host.error(method, ["path": path(host), "account": name])["code"] == 1101)
    }
    _ = try host.call("policyManager.setProcessIdentity", ["account": name])
    let new: JSONValue = ["path": path(host, "documents/new"), "flags": ["readWrite", "create"]]
    #expect(try host.error("file.open", new)["code"] == 1101)
  }

  @Test("protectionInfoForItemProvider fails with 5002 if the item's file is damaged")
  func damagedItem() throws {
    let host = try enrolledHost()
    _ = try host.call("fileProtectionManager.encryptFile", ["path": path(host), "account": Self.alice])
    let content = try #require(readFile(host.folder.file("documents/report")))
    let file = try #require(fopen(host.folder.file("documents/report"), "r+"))
    fseek(file, 200, SEEK_SET)
    fputc(Int32(content[200] ^ 1), file)
    fclose(file)
    let item: JSONValue = ["itemProvider": ["typeIdentifier": "public.data", "path": path(host)]]
    #expect(try host.error("dataProtectionManager.protectionInfoForItemProvider", item)["code"] == 5002)
  }

  @Test("A protected file names its owner and decrypts to its original content", arguments: [true, false])
  func roundTrip(_ byManager: Bool) throws {
    let host = try enrolledHost()
    let (protect, decrypt, isEncrypted, info) =
      byManager
      ? (
        "fileProtectionManager.protect", "fileProtectionManager.decryptFile", "fileProtectionManager.isFileEncrypted",
        "fileProtectionManager.protectionInfo"
      )
      : (
        "file.protectFileAtPath", "file.decryptFileAtPath", "file.isFileEncryptedAtPath",
        "file.protectionInfoForFileAtPath"
      )
    #expect(try host.call(isEncrypted, ["path": path(host)]) == false)
    #expect(try host.call(info, ["path": path(host)]) == .null)
    let isVoid = try host.call(protect, ["path": path(host), "account": Self.alice]) == .null
    #expect(isVoid == byManager)
    let isRequired = try host.call("policy.isFileEncryptionRequired", ["account": Self.alice])
    #expect(try host.call(isEncrypted, ["path": path(host)]) == isRequired)
    let owner = try host.call(info, ["path": path(host)])
    #expect(owner["identity"] == Self.alice)
    #expect(owner["recordedIn"] == (isRequired == true ? "header" : "attribute"))
    if byManager {
      #expect(try host.call(decrypt, ["path": path(host), "toPath": path(host, "documents/copy")]) == true)
      #expect(text(host, "documents/copy") == "Quarterly figures")
    }
    #expect(try host.call(decrypt, ["path": path(host)]) == true)
    #expect(text(host) == "Quarterly figures")
    #expect(try host.call(info, ["path": path(host)])["recordedIn"] == "attribute")
  }

  @Test("Protecting a folder protects every file in it, and the error lists each file that failed")
  func folder() throws {
    let host = try enrolledHost()
    host.folder.write("second", to: "documents/inner/second")
    let folder = path(host, "documents")
    #expect(try host.call("fileProtectionManager.verifyAndProtect", ["path": folder, "account": Self.alice]) == .null)
    for name in ["documents/report", "documents/inner/second"] {
      let info = try host.call("fileProtectionManager.protectionInfo", ["path": path(host, name)])
      #expect(info["identity"] == Self.alice)
    }
    link(host.folder.file("documents/report"), host.folder.file("documents/twin"))
    let error = try host.error("fileProtectionManager.protect", ["path": folder, "account": Self.alice])
    #expect(error["code"] == 5009)
    let failures = error["data"]?["failures"]?.arrayValue ?? []
    #expect(failures.map { $0["path"] } == [path(host), path(host, "documents/twin")])
    #expect(failures.allSatisfy { $0["code"] == 5007 && $0["name"] == "unsuitableFile" })
  }

  @Test("fileProtectionManager.encryptFile encrypts a file regardless of the account's policy")
  func encryptFile() throws {
    let host = try enrolledHost()
    #expect(try host.call("fileProtectionManager.encryptFile", ["path": path(host), "account": Self.alice]) == true)
    #expect(text(host) != "Quarterly figures")
    #expect(try host.call("fileProtectionManager.isFileEncrypted", ["path": path(host)]) == true)
  }

  @Test("protectionInfo returns the account that the host set for a file provider's item or enumerator")
  func provider() throws {
    let host = try enrolledHost()
    #expect(
      try host.call(
        "fileProtectionManager.setFileProviderEnumeratorAccount", ["enumerator": "root", "account": Self.alice])
        == .null)
    #expect(
      try host.call("fileProtectionManager.protectFileProviderItem", ["item": "17", "account": "bob@contoso.example"])
        == .null)
    let info = "fileProtectionManager.protectionInfo"
    #expect(try host.call(info, ["enumerator": "root"])["identity"] == Self.alice)
    #expect(try host.call(info, ["item": "17"])["identity"] == "bob@contoso.example")
    #expect(try host.call(info, ["item": "root"]) == .null)
  }

  @Test("File protection errors have a code, the path, the system's errno and a hint")
  func errors() throws {
    let host = try enrolledHost()
    let decrypt = "fileProtectionManager.decryptFile"
    let neither = try host.error(decrypt, ["path": path(host)])
    #expect(neither["code"] == 1104)
    #expect(neither["data"]?["sdkCode"] == 104)
    let missing = try host.error("file.protectFileAtPath", ["path": path(host, "nothing"), "account": Self.alice])
    #expect(missing["code"] == 5001)
    #expect(missing["data"]?["errno"] == 2)
    #expect(missing["data"]?["path"] == path(host, "nothing"))
    #expect(missing["data"]?["hint"] != nil)
    let relative = try host.error(decrypt, ["path": "documents/report"])
    #expect(relative["code"] == -32602)
    #expect(relative["data"]?["path"] == "/path")
    let nobody = try host.error("fileProtectionManager.encryptFile", ["path": path(host), "account": .null])
    #expect(nobody["code"] == 1101)
    let which = try host.error("fileProtectionManager.protectionInfo", ["item": "1", "enumerator": "1"])
    #expect(which["code"] == 1101)
    let folder = try host.error("file.protectFileAtPath", ["path": path(host, "documents"), "account": Self.alice])
    #expect(folder["code"] == 5007)
  }
}
