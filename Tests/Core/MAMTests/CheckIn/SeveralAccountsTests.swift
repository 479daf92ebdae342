import JSON
import SQLite
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct SeveralAccountsTests {
  private let fixture = CoreFixture()
  private static let several = "MultiManagedIdentities=true"

  /// A device that is managed for Alice. `confining` is the value of IntuneMAMAllowedAccountsOnly.
  private func manageDevice(confining: String? = nil) {
    let config = confining.map { #""IntuneMAMAllowedAccountsOnly": "\#($0)""# } ?? ""
    fixture.tenant.writeTenant(
      more: #""mdm": {"user": "\#(TenantFolder.upn("alice"))", "appConfig": {\#(config)}},"#)
  }

  @Test(
    "On a managed device, a second account enrolls only with MultiManagedIdentities",
    arguments: [([], 210), ([several], 100), (["MultipleManagedAccounts=true"], 100)] as [([String], Int)])
  func besideDeviceUser(_ flags: [String], _ expected: Int) throws {
    manageDevice()
    let core = try flags.first.map { try fixture.core($0) } ?? fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == expected)
  }

  @Test("A second account on a managed device gets no policy or app configuration for managed devices")
  func levels() throws {
    fixture.tenant.writeTenant(
      more: #""mdm": {"user": "\#(TenantFolder.upn("alice"))", "appConfig": {"device": "managed"}},"#)
    fixture.tenant.writePolicy(#""pinRequired": true, "targetedAppManagementLevels": "mdm""#)
    let core = try fixture.core(Self.several)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 225)
    fixture.tenant.writePolicy()
    #expect(try core.checkIn("frank") == [100])
    #expect(try core.account("alice")?.isMDM == true)
    #expect(try core.account("frank")?.isMDM == false)
    #expect(core.state.appConfig(of: .user("frank")).string("device", .any) == nil)
  }

  struct Confinement: Sendable {
    let flags: [String], value: String
    let second: Int
  }

  @Test(
    "IntuneMAMAllowedAccountsOnly limits the app to one account; status 227 of a second names the key",
    arguments: [
      Confinement(flags: [several], value: "Enabled", second: 227),
      Confinement(flags: [several], value: "enabled", second: 227),
      Confinement(flags: [several], value: "Disabled", second: 100),
      Confinement(flags: [], value: "Enabled", second: 210),
    ])
  func confined(_ row: Confinement) throws {
    manageDevice(confining: row.value)
    let core = try row.flags.first.map { try fixture.core($0) } ?? fixture.core()
    #expect(try core.enroll("alice") == 100)
    let status = try core.checkIns.registerAndEnroll(.user("frank"))
    #expect(status.statusCode.sdkValue == row.second)
    #expect(status.errorString?.contains("IntuneMAMAllowedAccountsOnly") ?? false == (row.second == 227))
    #expect(core.state.allowsSeveralAccounts == (row.second == 100))
    let explanations = try core.source.status(of: nil).accounts.map(\.explanation)
    #expect(explanations.allSatisfy { $0.contains("IntuneMAMAllowedAccountsOnly") } == (row.second == 227))
  }

  @Test("A confined app enrolls only the device's user; others get 210 before and 227 afterwards")
  func confinedFirst() throws {
    manageDevice(confining: "Enabled")
    let core = try fixture.core(Self.several)
    #expect(try core.enroll("frank") == 210)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.checkIn("frank") == [227])
  }

  @Test("IntuneMAMAllowedAccountsOnly applies after a restart and without a readable source, until removed")
  func lasting() throws {
    manageDevice(confining: "Enabled")
    let core = try fixture.core(Self.several)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 227)
    let next = try fixture.core(Self.several)
    try next.refresh()
    #expect(next.state.isConfined)
    #expect(!next.state.mayShow(.user("frank")))
    fixture.tenant.folder.write("{", to: "tenant.json")
    #expect(try next.checkIn("alice") == [206])
    #expect(next.state.isConfined)
    manageDevice()
    #expect(try next.checkIn() == [101, 100])
    #expect(!next.state.isConfined)
    #expect(next.state.mayShow(.user("bob")))
  }

  @Test("An account that becomes excluded by IntuneMAMAllowedAccountsOnly keeps its policy with status 210")
  func confinedLater() throws {
    manageDevice()
    let core = try fixture.core(Self.several)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.enroll("frank") == 100)
    manageDevice(confining: "Enabled")
    #expect(try core.checkIn() == [101, 210])
    #expect(try core.requiresPIN("frank"))
  }

  @Test(
    "MultiManagedIdentities turns on MultiIdentity at SDK level 21 only",
    arguments: [
      ([several], false), ([several, "sdkLevel=21"], true), (["sdkLevel=21"], false), (["MultiIdentity=true"], true),
    ] as [([String], Bool)])
  func implication(_ flags: [String], _ expected: Bool) throws {
    var settings = Settings()
    for flag in flags { try settings.set(flag: flag) }
    #expect(settings.separatesIdentities == expected)
  }
}

@Suite struct OlderSettingNameTests {
  private let fixture = CoreFixture()

  @Test("MultipleManagedAccounts sets MultiManagedIdentities and warns with the new name")
  func flag() throws {
    var settings = Settings()
    try settings.set(flag: "MultipleManagedAccounts=true")
    #expect(settings.bool(.multiManagedIdentities))
    #expect(settings.warnings.count == 1)
    #expect(settings.warnings.first?.contains("use MultiManagedIdentities") == true)
    var current = Settings()
    try current.set(flag: "MultiManagedIdentities=true")
    #expect(current.bool(.multiManagedIdentities))
    #expect(current.warnings == [])
  }

  @Test(
    "In a settings file with both names, MultiManagedIdentities overrides MultipleManagedAccounts",
    arguments: [false, true])
  func file(_ isOldFirst: Bool) throws {
    let members: [(String, JSONValue)] = [("MultipleManagedAccounts", true), ("MultiManagedIdentities", false)]
    var settings = Settings()
    try settings.load(JSONObject(isOldFirst ? members : members.reversed()))
    #expect(!settings.bool(.multiManagedIdentities))
    #expect(settings.warnings.count == 1)
    #expect(settings.warnings.first?.contains("has no effect") == true)
  }

  @Test("A stored override of MultipleManagedAccounts applies, and can be removed under either name")
  func stored() throws {
    let core = try fixture.core()
    try core.refresh()
    for name in ["MultipleManagedAccounts", "MultiManagedIdentities"] {
      try core.live.commit { transaction throws(SQLiteError) in
        try transaction.connection.save(Entry("MultipleManagedAccounts", "true"), to: StoreSchema.overrides)
      }
      #expect(core.state.settings.value(.multiManagedIdentities) == .init(value: true, origin: .override))
      let setting = try #require(NamedSetting(name))
      try core.settingOverrides.override(SettingChanges([(setting, nil)]))
      #expect(!core.state.settings.bool(.multiManagedIdentities))
    }
  }
}
