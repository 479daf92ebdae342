import Glibc
import JSON
import TestSupport
import Testing

/// The errors of encrypting and decrypting files, at both SDK levels.
@Suite(.ownThreads) struct FileErrorDomainTests {
  private static let alice: JSONValue = "alice@contoso.example"

  /// A call that fails, its error at level 19, and the SDK's code at level 21.
  struct Failure: Sendable {
    let method, file: String
    var account: String?
    let code: Int64
    let cause: String
    let sdkCode: Int64
  }

  static let failures = [
    Failure(
      method: "fileProtectionManager.encryptFile", file: "missing", account: "alice@contoso.example", code: 5001,
      cause: "fileUnavailable", sdkCode: 104),
    Failure(
      method: "fileProtectionManager.encryptFile", file: "folder", account: "alice@contoso.example", code: 5007,
      cause: "unsuitableFile", sdkCode: 105),
    Failure(
      method: "fileProtectionManager.encryptFile", file: "folder/plain", account: "bob@contoso.example", code: 1102,
      cause: "failedToEncryptData", sdkCode: 106),
    Failure(
      method: "fileProtectionManager.encryptFile", file: "folder/plain", code: 1101, cause: "invalidArguments",
      sdkCode: 101),
    Failure(
      method: "fileProtectionManager.encryptFile", file: "linked", account: "alice@contoso.example", code: 5007,
      cause: "unsuitableFile", sdkCode: 107),
    Failure(
      method: "file.protectFileAtPath", file: "missing", account: "alice@contoso.example", code: 5001,
      cause: "fileUnavailable", sdkCode: 104),
    Failure(
      method: "file.protectFileAtPath", file: "folder", account: "alice@contoso.example", code: 5007,
      cause: "unsuitableFile", sdkCode: 105),
    Failure(
      method: "fileProtectionManager.decryptFile", file: "missing", code: 5001, cause: "fileUnavailable", sdkCode: 104),
    Failure(
      method: "fileProtectionManager.decryptFile", file: "folder/plain", code: 1104, cause: "dataNotProtected",
      sdkCode: 103),
    Failure(
      method: "fileProtectionManager.decryptFile", file: "damaged", code: 5002, cause: "fileDamaged", sdkCode: 103),
    Failure(method: "file.decryptFileAtPath", file: "damaged", code: 5002, cause: "fileDamaged", sdkCode: 103),
    Failure(
      method: "file.decryptFileAtPath", file: "missing", code: 5001, cause: "fileUnavailable", sdkCode: 104),
  ]

  @Test("File errors have their own code at SDK level 19, and the SDK's code and a cause at 21", arguments: failures)
  func levels(_ failure: Failure) throws {
    for level in [19, 21] {
      let host = try host(level)
      var params: JSONObject = ["path": .string(host.folder.file(failure.file))]
      if failure.method != "fileProtectionManager.decryptFile", failure.method != "file.decryptFileAtPath" {
        params["account"] = failure.account.map(JSONValue.string) ?? .null
      }
      let error = try host.error(failure.method, .object(params))
      if level == 19 {
        #expect(error["code"] == .integer(failure.code))
        #expect(error["data"]?["name"] == .string(failure.cause))
        #expect(error["data"]?["cause"] == nil)
      } else {
        #expect(error["code"] == .integer(1100 + failure.sdkCode))
        #expect(error["data"]?["domain"] == "IntuneMAMFileProtectionErrorDomain")
        #expect(error["data"]?["sdkCode"] == .integer(failure.sdkCode))
        #expect(error["data"]?["cause"] == .string(failure.cause))
      }
      #expect(error["data"]?["errno"] == (failure.sdkCode == 104 ? .integer(Int64(ENOENT)) : nil))
    }
  }

  @Test(
    "encryptFile without a managed account is error 1100, or 1200 at level 21", arguments: [(19, 1100), (21, 1200)])
  func nobody(_ level: Int, _ code: Int64) throws {
    let host = try TestHost(flags: ["sdkLevel=\(level)"])
    host.folder.write("figures", to: "plain")
    let params: JSONValue = ["path": .string(host.folder.file("plain")), "account": Self.alice]
    #expect(try host.error("fileProtectionManager.encryptFile", params)["code"] == .integer(code))
  }

  @Test("fileProtectionManager.protect accepts a folder and fails with 5001 for a missing file", arguments: [19, 21])
  func otherMethods(_ level: Int) throws {
    let host = try host(level)
    let folder: JSONValue = ["path": .string(host.folder.file("folder")), "account": Self.alice]
    #expect(try host.call("fileProtectionManager.protect", folder) == .null)
    let missing: JSONValue = ["path": .string(host.folder.file("missing")), "account": Self.alice]
    #expect(try host.error("fileProtectionManager.protect", missing)["code"] == 5001)
  }

  private func host(_ level: Int) throws -> TestHost {
    let host = try TestHost(flags: ["sdkLevel=\(level)"])
    try host.enroll()
    for name in ["folder/plain", "damaged", "linked"] { host.folder.write("figures", to: name) }
    link(host.folder.file("linked"), host.folder.file("second name"))
    let damaged = host.folder.file("damaged")
    _ = try host.call("fileProtectionManager.encryptFile", ["path": .string(damaged), "account": Self.alice])
    var content = try #require(readFile(damaged))
    content[200] ^= 1
    write(content, to: damaged)
    return host
  }
}

@Suite(.ownThreads) struct SQLiteVFSTests {
  @Test(
    "protectSqliteVFS and unprotectSqliteVFS fail with notAvailable, and the hint names protect",
    arguments: [19, 21],
    [
      ("fileProtectionManager.protectSqliteVFS", [:]),
      ("fileProtectionManager.protectSqliteVFS", ["account": "alice@contoso.example"]),
      ("fileProtectionManager.unprotectSqliteVFS", ["vfs": "mam"]),
    ] as [(String, JSONValue)])
  func notAvailable(_ level: Int, _ call: (String, JSONValue)) throws {
    let error = try TestHost(flags: ["sdkLevel=\(level)"]).error(call.0, call.1)
    #expect(error["code"] == 5010)
    #expect(error["data"]?["name"] == "notAvailable")
    #expect(error["data"]?["hint"]?.stringValue?.contains("fileProtectionManager.protect") == true)
  }
}
