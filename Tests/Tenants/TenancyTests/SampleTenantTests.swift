import Testing

@testable import Model
@testable import Policy
@testable import Tenancy

@Suite struct SampleTenantTests {
  let tenant: TenantSnapshot

  init() throws { tenant = try SampleTenant().read() }

  @Test("The sample tenant reads without warnings and has a user for each outcome of an enrollment")
  func users() throws {
    #expect(tenant.warnings.isEmpty)
    #expect(tenant.users.map(\.userPrincipalName.localName) == ["alice", "bob", "carol", "dave"])
    #expect(tenant.users.map(\.isLicensed) == [true, true, false, true])
    #expect(tenant.users.map(\.isEnabled) == [true, true, true, false])
    #expect(tenant.users.allSatisfy { $0.id.isGUID })
    #expect(tenant.tenantId.isGUID)
  }

  @Test(
    "In the sample tenant, alice has a policy on iOS and Android, and bob has none",
    arguments: [DevicePlatform.ios, .android])
  func policies(platform: DevicePlatform) throws {
    let alice = try #require(tenant.user(for: "alice@contoso.example"))
    let targeting = tenant.targeting(of: alice, app: "com.example.host", platform: platform)
    #expect(targeting.policies.count == 1)
    let policy = try #require(CompiledPolicy(merging: targeting.policies, platform: platform))
    let questions = PolicyQuestions(policy: policy, account: "alice@contoso.example")
    #expect(questions.isPINRequired(.notSet).value)
    #expect(questions.isFileEncryptionRequired.value)
    let bob = try #require(tenant.user(for: "bob@contoso.example"))
    let nothing = tenant.targeting(of: bob, app: "com.example.host", platform: platform)
    #expect(nothing.policies.isEmpty)
    #expect(nothing.configurations.isEmpty)
    #expect(nothing.defaults.isEmpty)
  }

  @Test("Alice's app configuration in the sample tenant shows a default, a conflict and tokens")
  func appConfig() throws {
    let alice = try #require(tenant.user(for: "alice@contoso.example"))
    let config = tenant.appConfig(of: alice, tenant.targeting(of: alice, app: "com.example.host", platform: .ios))
    #expect(config.fullData.count == 3)
    #expect(config.string("example.greeting", .any) == "Hello Alice Adams")
    #expect(config.number("example.maximumAttachmentMegabytes", .any) == .integer(10))
    #expect(config.hasConflict("example.supportAddress"))
    #expect(!config.hasConflict("example.greeting"))
    #expect(config.string("example.supportReference", .any) == "\(alice.id)@\(tenant.tenantId)")
  }
}

extension String {
  fileprivate var localName: String { split(separator: "@").first.map(String.init) ?? self }
}
