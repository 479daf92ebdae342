import Glibc
import JSON
import TestSupport
import Testing

/// What is done to the state folder while nobody uses it.
struct Damage: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let file: String
  let harm: @Sendable (TemporaryFolder, String) -> Void

  init(_ description: String, _ file: String, _ harm: @escaping @Sendable (TemporaryFolder, String) -> Void) {
    testDescription = description
    self.file = "state/" + file
    self.harm = harm
  }

  static let junk: @Sendable (TemporaryFolder, String) -> Void = { $0.write("this is no such file", to: $1) }
}

@Suite(.ownThreads) struct DamagedStateTests {
  @Test(
    "An unusable key file fails only the calls that need it, and the error names the file",
    arguments: [
      (Damage("junk as root secret", "keys/root.key", Damage.junk), 6004, "damaged"),
      (Damage("no root secret", "keys/root.key") { unlink($0.file($1)) }, 6003, "noSecret"),
      (
        Damage("another root secret", "keys/root.key") { $0.write(String(repeating: "x", count: 32), to: $1) }, 6002,
        "wrongSecret"
      ),
      (Damage("a root secret for all", "keys/root.key") { chmod($0.file($1), 0o644) }, 6007, "wrongPermissions"),
      (Damage("junk as store key", "keys/store.key", Damage.junk), 6004, "damaged"),
    ] as [(Damage, Int64, String)])
  func keys(_ damage: Damage, _ code: Int64, _ name: String) throws {
    let folder = TemporaryFolder()
    let protected = try protectedText(in: folder)
    damage.harm(folder, damage.file)

    let host = try TestHost(folder: folder)
    let error = try host.error("dataProtectionManager.unprotectString", ["string": protected])
    #expect(error["code"] == .integer(code))
    #expect(error["data"]?["name"] == .string(name))
    #expect(error["data"]?["path"]?.stringValue?.hasPrefix(folder.file("state/keys/")) == true)
    #expect(error["data"]?["hint"]?.stringValue?.isEmpty == false)
    #expect(try host.call("policy.isPINRequired") == true)
    #expect(try host.call("enrollmentManager.enrolledAccounts").arrayValue?.count == 1)
  }

  private func protectedText(in folder: TemporaryFolder) throws -> JSONValue {
    let host = try TestHost(folder: folder)
    try host.enroll()
    return try host.call("dataProtectionManager.protectString", ["string": "text", "account": .string(TestHost.alice)])
  }
}
