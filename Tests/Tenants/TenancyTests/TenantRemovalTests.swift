import JSON
import Testing

@testable import Tenancy

@Suite struct TenantRemovalTests {
  /// A tenant of twenty users, who are all in the group staff, and the first ten in sales, too.
  struct Version: Sendable {
    var users: [JSONObject]
    var policies: [String: JSONObject]
    var configurations: [String: JSONObject] = [:]
    var assignments: [JSONValue] = []

    static func group(_ name: String, exclusion: Bool = false) -> JSONValue {
      [
        "target": [
          "@odata.type": .string("#microsoft.graph.\(exclusion ? "exclusionG" : "g")roupAssignmentTarget"),
          "groupId": .string(name),
        ]
      ]
    }

    static func policy(_ id: String, _ kind: String = "ios", _ groups: JSONValue...) -> JSONObject {
      [
        "@odata.type": .string("#microsoft.graph.\(kind)ManagedAppProtection"), "id": .string(id),
        "displayName": .string("Policy \(id)"), "pinRequired": true, "appGroupType": "allApps",
        "assignments": .array(groups),
      ]
    }

    init() {
      users = (1...20).map { number in
        [
          "id": .string(Self.id(number)), "userPrincipalName": .string("user\(number)@contoso.example"),
          "groups": number <= 10 ? ["staff", "sales"] : ["staff"],
        ]
      }
      policies = [
        "ios": Self.policy("T_ios", "ios", Self.group("staff")),
        "android": Self.policy("T_android", "android", Self.group("staff")),
        "sales": Self.policy("T_sales", "ios", Self.group("sales")),
      ]
    }

    static func id(_ number: Int) -> String {
      "00000000-0000-4000-8000-0000000000" + (number < 10 ? "0" : "") + String(number)
    }

    var files: TenantFileSet {
      var tenant: JSONObject = [
        "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "users": .array(users.map(JSONValue.object)),
      ]
      if !assignments.isEmpty { tenant["assignments"] = .array(assignments) }
      var texts = ["tenant.json": JSONValue.object(tenant).jsonText]
      for (name, policy) in policies { texts["policies/\(name).json"] = JSONValue.object(policy).jsonText }
      for (name, object) in configurations { texts["configurations/\(name).json"] = JSONValue.object(object).jsonText }
      return TenantFileSet(texts: texts)
    }

    mutating func leave(_ group: String, _ numbers: ClosedRange<Int>) {
      for number in numbers {
        let groups = users[number - 1]["groups"]?.strings ?? []
        users[number - 1]["groups"] = .array(groups.filter { $0 != group }.map(JSONValue.string))
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// What is kept; empty if the change applies.
    let held: String
    let change: @Sendable (inout Version) -> Void
    var testDescription: String { name }

    init(_ name: String, _ held: String = "", _ change: @escaping @Sendable (inout Version) -> Void) {
      (self.name, self.held, self.change) = (name, held, change)
    }
  }

  static let cases: [Case] = [
    Case("nothing") { _ in },
    Case("a tenth of the users") { $0.users.removeFirst(2) },
    Case("more than a tenth of the users", "3 users") { $0.users.removeFirst(3) },
    Case("all users", "20 users") { $0.users = [] },
    Case("users who are deleted") { version in
      for index in 0..<15 { version.users[index]["deleted"] = true }
    },
    Case("users who are disabled") { version in
      for index in version.users.indices { version.users[index]["accountEnabled"] = false }
    },
    Case("users who have another id and the same name") { version in
      for index in 0..<15 { version.users[index]["id"] = .string("1" + Version.id(index + 1).dropFirst()) }
    },
    Case("users in another order, and in other letters") { version in
      version.users.reverse()
      version.users[0]["userPrincipalName"] = "USER20@CONTOSO.EXAMPLE"
    },
    Case("a policy", "1 policy (\"T_sales\")") { $0.policies["sales"] = nil },
    Case("all policies", "3 policies") { $0.policies = [:] },
    Case("a list of policies that is empty", "1 policy (\"T_ios\")") { version in
      version.policies["ios"] = ["@odata.context": "x/iosManagedAppProtections", "value": []]
    },
    Case("a policy that moves to another file") { version in
      version.policies["other"] = version.policies["sales"]
      version.policies["sales"] = nil
    },
    Case("a policy that gets another id") { version in
      version.policies["sales"]?["id"] = "T_other"
      version.policies["sales"]?["version"] = "2"
    },
    Case("a policy that is for fewer apps", "1 assigned policy (\"T_ios\")") { version in
      version.policies["ios"]?["appGroupType"] = "allCoreMicrosoftApps"
    },
    Case("a policy whose assignments are gone", "1 assigned policy (\"T_android\")") { version in
      version.policies["android"]?["assignments"] = []
    },
    Case("a policy that is assigned to another group with the same users") { version in
      version.policies["sales"]?["assignments"] = [Version.group("staff")]
    },
    Case("a policy that excludes everybody") { version in
      version.policies["sales"]?["assignments"] = [Version.group("sales"), Version.group("sales", exclusion: true)]
    },
    Case("a policy without apps", "1 assigned policy (\"T_ios\")") { version in
      version.policies["ios"]?["appGroupType"] = "selectedPublicApps"
      version.policies["ios"]?["apps"] = []
    },
    Case("everybody in an assigned group", "1 group (\"sales\")") { $0.leave("sales", 1...10) },
    Case("some members whom another policy reaches") { $0.leave("sales", 1...5) },
    Case("a tenth of those who have a policy") { $0.leave("staff", 11...12) },
    Case("more than a tenth of those who have a policy", "8 group members") { $0.leave("staff", 11...18) },
    Case("assignments of tenant.json that leave nobody", "1 assigned policy (\"T_ios\")") { version in
      version.assignments = [["policy": "policies/ios.json", "groups": ["nobody"]]]
    },
    Case("additions and tightenings") { version in
      version.policies["new"] = Version.policy("T_new", "ios", Version.group("staff"))
      version.policies["ios"]?["minimumPinLength"] = 12
      version.users.append(["id": .string(Version.id(21)), "userPrincipalName": "new@contoso.example"])
    },
  ]

  @Test("Too many removals are held, so that every user keeps their policies", arguments: cases) func held(
    _ entry: Case
  ) throws {
    let before = Version()
    var after = before
    entry.change(&after)
    let guarded = try GuardedTenant(
      after.files, accepted: before.files, served: before.files, limit: RemovalLimit())
    if entry.held.isEmpty {
      #expect(guarded.held.summary == "")
      #expect(guarded.files == after.files)
    } else {
      #expect(guarded.held.summary.contains(entry.held), "\(guarded.held.summary)")
    }
    let (old, new) = (try before.files.read(), try guarded.files.read())
    guard !entry.held.isEmpty else { return }
    // Whoever had a policy has it still, and what came is there.
    for user in old.users {
      let now = try #require(new.users.first { $0.id == user.id })
      for kind in [DevicePlatformName.ios, .android] {
        let ids = Self.policies(of: user, in: old, kind)
        #expect(Set(Self.policies(of: now, in: new, kind)).isSuperset(of: ids), "\(user.userPrincipalName) \(kind)")
      }
    }
    // The same version again changes nothing.
    let again = try GuardedTenant(
      after.files, accepted: guarded.accepted, served: guarded.files, limit: RemovalLimit())
    #expect(again.files == guarded.files)
    #expect(again.held == guarded.held)
    #expect(again.accepted == guarded.accepted)
    // And what is restored is no longer held.
    let restored = try GuardedTenant(
      before.files, accepted: guarded.accepted, served: guarded.files, limit: RemovalLimit())
    #expect(restored.held.isEmpty)
    #expect(restored.files == before.files)
  }

  enum DevicePlatformName { case ios, android }

  private static func policies(of user: TenantUser, in tenant: TenantSnapshot, _ name: DevicePlatformName) -> [String] {
    tenant.targeting(of: user, app: "com.contoso.app", platform: name == .ios ? .ios : .android).policies.map(\.id)
  }

  @Test("Additions, stricter settings, and disabled and deleted users apply while removals are held") func mixed()
    throws
  {
    let before = Version()
    var after = before
    after.users.removeFirst(5)
    after.users[0]["accountEnabled"] = false
    after.users[1]["deleted"] = true
    after.users.append(["id": .string(Version.id(21)), "userPrincipalName": "new@contoso.example", "groups": ["staff"]])
    after.policies["sales"] = nil
    after.policies["ios"]?["minimumPinLength"] = 12
    after.policies["new"] = Version.policy("T_new", "android", Version.group("staff"))
    let guarded = try GuardedTenant(
      after.files, accepted: before.files, served: before.files, limit: RemovalLimit())
    #expect(guarded.held.users.count == 5)
    #expect(guarded.held.policies == ["T_sales"])
    let tenant = try guarded.files.read()
    #expect(tenant.users.count == 21)
    #expect(tenant.users.count { !$0.isEnabled } == 2)
    #expect(tenant.policies.map(\.id) == ["T_android", "T_ios", "T_new", "T_sales"])
    #expect(tenant.policyObjects.first { $0["id"] == "T_ios" }?["minimumPinLength"] == 12)
  }

  @Test("Removals in small steps add up to the limit, and those within the limit stay applied") func steps() throws {
    let before = Version()
    var (accepted, served) = (before.files, before.files)
    var version = before
    var held: [Int] = []
    for _ in 1...6 {
      version.users.removeFirst()
      let guarded = try GuardedTenant(version.files, accepted: accepted, served: served, limit: RemovalLimit())
      (accepted, served) = (guarded.accepted, guarded.files)
      held.append(guarded.held.users.count)
    }
    #expect(held == [0, 0, 1, 2, 3, 4])
    #expect(try served.read().users.count == 18)
    #expect(try accepted.read().users.count == 20)
  }

  @Test("A policy added since the last acceptance is also held when it is removed") func added() throws {
    let before = Version()
    var more = before
    more.policies["new"] = Version.policy("T_new", "ios", Version.group("staff"))
    let first = try GuardedTenant(more.files, accepted: before.files, served: before.files, limit: RemovalLimit())
    let second = try GuardedTenant(
      before.files, accepted: first.accepted, served: first.files, limit: RemovalLimit())
    #expect(second.held.policies == ["T_new"])
  }

  @Test("A held policy keeps its assignments in tenant.json and the members of its groups") func assignedPolicy() throws
  {
    var before = Version()
    before.policies["sales"]?["assignments"] = nil
    before.assignments = [["policy": "policies/sales.json", "groups": ["sales"], "apps": ["com.contoso.app"]]]
    var after = before
    after.policies["sales"] = nil
    after.assignments = []
    after.leave("sales", 1...10)
    let guarded = try GuardedTenant(
      after.files, accepted: before.files, served: before.files, limit: RemovalLimit())
    let tenant = try guarded.files.read()
    for user in tenant.users {
      #expect(Self.policies(of: user, in: tenant, .ios).contains("T_sales") == user.groups.contains("sales"))
    }
    #expect(tenant.users.count { $0.groups.contains("sales") } == 10)
  }

  @Test("A removed app configuration is held like a policy") func configurations() throws {
    var before = Version()
    before.configurations["mail"] = [
      "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1",
      "customSettings": [["name": "a", "value": "b"]],
    ]
    var after = before
    after.configurations = [:]
    let guarded = try GuardedTenant(
      after.files, accepted: before.files, served: before.files, limit: RemovalLimit())
    #expect(guarded.held.configurations == ["A_1"])
    #expect(try guarded.files.read().configurations.map(\.id) == ["A_1"])
  }

  @Test("The administrator sets the limit on removals, but the last policies are always held") func limit() throws {
    let before = Version()
    var after = before
    after.users.removeFirst(15)
    after.policies = [:]
    let guarded = try GuardedTenant(
      after.files, accepted: before.files, served: before.files, limit: RemovalLimit(percent: 100))
    #expect(guarded.held.users.isEmpty)
    #expect(guarded.held.policies.count == 3)
    var fewer = before
    fewer.users.removeFirst()
    let strict = try GuardedTenant(
      fewer.files, accepted: before.files, served: before.files, limit: RemovalLimit(percent: 0))
    #expect(strict.held.users.count == 1)
  }

  @Test("Held removals read back from JSON unchanged") func json() {
    var held = HeldRemovals()
    (held.users, held.policies, held.groups, held.members) = (["u"], ["p", "q"], ["g"], ["m"])
    #expect(HeldRemovals(held.jsonValue) == held)
    #expect(held.count == 5)
    #expect(HeldRemovals(.null).isEmpty)
  }

  @Test("The audience of a policy counts active users, and an unknown target reaches nobody") func audiences() throws {
    var version = Version()
    version.users[0]["accountEnabled"] = false
    version.users[1]["licensed"] = false
    version.policies["odd"] = Version.policy(
      "T_odd", "ios", ["target": ["@odata.type": "#microsoft.graph.scopeTagTarget", "groupId": "staff"]])
    version.policies["all"] = Version.policy(
      "T_all", "ios", ["target": ["@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"]],
      Version.group("sales", exclusion: true))
    let audiences = try version.files.read().audiences
    #expect(audiences.map(\.id) == ["T_all", "T_android", "T_ios", "T_odd", "T_sales"])
    #expect(audiences.map(\.count) == [10, 18, 18, 0, 8])
    #expect(audiences.allSatisfy { $0.all == 18 })
  }
}
