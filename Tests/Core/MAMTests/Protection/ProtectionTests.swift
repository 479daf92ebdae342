import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite struct ProtectionTests {
  let fixture = CoreFixture()
  let data = Array("for contoso only".utf8)

  private func expect(_ code: ErrorCode, _ body: () throws -> Any) {
    let error = #expect(throws: MAMError.self) { _ = try body() }
    #expect(error?.code == code)
  }

  @Test("Protected data of a managed account is encrypted and can be read again after a restart")
  func managed() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let buffer = try core.protection.protect(data, for: .user("ALICE"))
    let other = try core.protection.protect([1, 2], for: AccountReference(TenantFolder.id("alice")))
    #expect(!buffer.contains(data))
    for core in [core, try fixture.core()] {
      #expect(try core.protection.unprotect(buffer) == data)
      #expect(try core.protection.unprotect(other) == [1, 2])
      let owner = Account(accountId: TenantFolder.id("alice"), identity: TenantFolder.upn("alice"))
      #expect(try core.protection.protectionInfo(buffer) == owner)
      #expect(try core.protection.protectionInfo(other) == owner)
    }
  }

  @Test(
    "Protected data of an unmanaged account carries only its owner's name and is not encrypted",
    arguments: ["bob", "carol", "stranger"])
  func unmanaged(name: String) throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    #expect(try core.enroll("alice") == 100)
    if name != "stranger" { _ = try core.enroll(name) }
    let buffer = try core.protection.protect(data, for: .user(name))
    #expect(buffer.contains(data))
    #expect(try core.protection.unprotect(buffer) == data)
    #expect(try core.protection.protectionInfo(buffer)?.identity == TenantFolder.upn(name))
  }

  @Test("Without a managed account, only plain data can be read; other protection calls fail with 1100")
  func nothingManaged() throws {
    let core = try fixture.core()
    expect(.applicationNotManaged) { try core.protection.protect(data, for: .user("alice")) }
    #expect(try core.protection.unprotect(data) == data)
    #expect(try core.protection.protectionInfo(data) == nil)
    #expect(try core.enroll("alice") == 100)
    let buffer = try core.protection.protect(data, for: .user("alice"))
    fixture.tenant.folder.write("[]", to: "policies/ios.json")
    #expect(try core.checkIn() == [103])
    expect(.applicationNotManaged) { try core.protection.unprotect(buffer) }
    fixture.tenant.writePolicy()
    #expect(try core.checkIn() == [100])
    #expect(try core.protection.unprotect(buffer) == data)
  }

  @Test("Protected data can be read after the account enrolls again, but not after a wipe", arguments: [false, true])
  func reenrolled(withWipe: Bool) async throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let buffer = try core.protection.protect(data, for: .user("alice"))
    let status = try await core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: withWipe)
    #expect(status.statusCode == .unenrollmentSuccess)
    #expect(try core.enroll("frank") == 100)
    expect(.failedToDecryptData) { try core.protection.unprotect(buffer) }
    #expect(try core.unenroll("frank") == 104)
    #expect(try core.enroll("alice") == 100)
    if withWipe {
      expect(.failedToDecryptData) { try core.protection.unprotect(buffer) }
    } else {
      #expect(try core.protection.unprotect(buffer) == data)
    }
  }

  @Test("Another app on the device can read protected data once it manages the same account")
  func otherApp() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let buffer = try core.protection.protect(data, for: .user("alice"))
    let other = Core(
      CoreConfiguration(
        stateFolder: StateFolder(root: fixture.state.root, appId: "com.example.other"),
        tenant: .folder(fixture.tenant.path), clock: fixture.clock))
    expect(.applicationNotManaged) { try other.protection.unprotect(buffer) }
    #expect(try other.enroll("alice") == 100)
    #expect(try other.protection.unprotect(buffer) == data)
  }
}
