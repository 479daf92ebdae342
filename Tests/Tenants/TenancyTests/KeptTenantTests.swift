import JSON
import Policy
import Testing

@testable import Tenancy

/// What is kept is what was there: nobody and no app gets it who did not have it, and it stays until it is accepted.
@Suite struct KeptTenantTests {
  private typealias Version = TenantRemovalTests.Version

  private static func guarded(
    _ after: TenantFileSet, after before: TenantFileSet, accepted: TenantFileSet? = nil,
    held: HeldRemovals = HeldRemovals()
  ) throws -> GuardedTenant {
    try GuardedTenant(after, accepted: accepted ?? before, served: before, held: held, limit: RemovalLimit())
  }

  private static func app(_ id: String) -> JSONValue {
    [
      "mobileAppIdentifier": [
        "@odata.type": "#microsoft.graph.iosMobileAppIdentifier", "bundleId": .string(id),
      ]
    ]
  }

  private static let filter: JSONValue = [
    "id": "F1", "displayName": "iPads", "platform": "iOSMobileApplicationManagement",
    "assignmentFilterManagementType": "apps", "rule": #"(app.deviceModel -eq "iPad")"#,
  ]

  private static func filtered(_ group: String) -> JSONValue {
    [
      "target": [
        "@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": .string(group),
        "deviceAndAppManagementAssignmentFilterId": "F1", "deviceAndAppManagementAssignmentFilterType": "include",
      ]
    ]
  }

  /// The policies of each user in some apps on two kinds of devices.
  private static func reach(_ files: TenantFileSet) throws -> [String: [String]] {
    let tenant = try files.read()
    var reach: [String: [String]] = [:]
    for user in tenant.users {
      for app in ["com.x", "com.other"] {
        for model in ["iPad", "iPhone"] {
          var device = FilterDevice()
          device.model = model
          let targeting = tenant.targeting(of: user, app: app, platform: .ios, on: device)
          reach["\(user.id) \(app) \(model)"] = targeting.policies.map(\.displayName).sorted()
        }
      }
    }
    return reach
  }

  struct Loss: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var isFilterLost = false
    let change: @Sendable (inout JSONObject?, inout [JSONValue]) -> Void

    init(
      _ name: String, isFilterLost: Bool = false,
      change: @escaping @Sendable (inout JSONObject?, inout [JSONValue]) -> Void
    ) {
      (testDescription, self.isFilterLost, self.change) = (name, isFilterLost, change)
    }
  }

  static let losses: [Loss] = [
    Loss("assignments are an empty list") { policy, _ in policy?["assignments"] = [] },
    Loss("assignments are an empty list, and the apps are more") { policy, _ in
      policy?["assignments"] = []
      policy?["apps"] = nil
      policy?["appGroupType"] = "allApps"
    },
    Loss("only the exclusion is left") { policy, _ in
      policy?["assignments"] = [TenantRemovalTests.Version.group("sales", exclusion: true)]
    },
    Loss("no apps") { policy, _ in policy?["apps"] = [] },
    Loss("tenant.json assigns it to nobody") { _, assignments in
      assignments = [["policy": "policies/strict.json", "groups": [], "apps": ["com.x"]]]
    },
    Loss("tenant.json assigns it to an unknown group in all apps") { _, assignments in
      assignments = [["policy": "policies/strict.json", "groups": ["nobody"]]]
    },
    Loss("the file is gone") { policy, _ in policy = nil },
    Loss("the file and its filter are gone", isFilterLost: true) { policy, _ in policy = nil },
    Loss("assignments are an empty list, and the filter is gone", isFilterLost: true) { policy, _ in
      policy?["assignments"] = []
    },
  ]

  @Test(
    "A held policy reaches exactly the users, apps and devices that it reached before", arguments: losses,
    [false, true])
  func targeting(loss: Loss, isAssignedByTenant: Bool) throws {
    var before = Version()
    before.policies["strict"] = Version.policy(
      "T_strict", "ios", Self.filtered("staff"), Version.group("sales", exclusion: true))
    before.policies["strict"]?["apps"] = [Self.app("com.x")]
    before.policies["strict"]?["appGroupType"] = "selectedPublicApps"
    if isAssignedByTenant {
      before.assignments = [["policy": "policies/strict.json", "groups": ["sales"], "apps": ["com.x"]]]
    }
    func files(_ version: Version, filter: Bool = true) -> TenantFileSet {
      var texts = version.files.texts
      if filter { texts["filters/all.json"] = JSONValue.array([Self.filter]).jsonText }
      return TenantFileSet(texts: texts)
    }
    var after = before
    var strict = before.policies["strict"]
    loss.change(&strict, &after.assignments)
    if strict == nil { after.assignments = [] }
    after.policies["strict"] = strict
    let (old, new) = (files(before), files(after, filter: !loss.isFilterLost))
    let kept = try Self.guarded(new, after: old)
    #expect(try Self.reach(kept.files) == Self.reach(old), "\(kept.held.summary)")
    #expect(kept.held.isEmpty == (kept.files == new))
    // The same version again changes nothing.
    let again = try Self.guarded(new, after: kept.files, accepted: kept.accepted, held: kept.held)
    #expect(again.held == kept.held)
    #expect(again.files == kept.files)
  }

  @Test("Held removals stay held even if additions make them less than a tenth") func dilution() throws {
    var before = Version()
    before.configurations["mail"] = [
      "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1",
      "customSettings": [["name": "a", "value": "b"]],
    ]
    var after = before
    after.users.removeFirst(3)
    after.policies["sales"] = nil
    after.configurations["mail"] = nil
    after.leave("staff", 11...17)
    var guarded = try Self.guarded(after.files, after: before.files)
    let held = guarded.held
    #expect(held.users.count == 3)
    #expect(held.policies == ["T_sales"])
    #expect(held.configurations == ["A_1"])
    #expect(held.members.count == 7)
    for step in 1...3 {
      for number in 1...100 {
        let id = "99999999-0000-4000-8000-\(step)00000000\(number + 100)"
        after.users.append([
          "id": .string(id), "userPrincipalName": .string("\(id)@contoso.example"), "groups": ["staff"],
        ])
      }
      for number in 1...20 {
        let id = "T_\(step)_\(number)"
        after.policies[id] = Version.policy(id, "android", Version.group("staff"))
        after.configurations[id] = before.configurations["mail"]
        after.configurations[id]?["id"] = .string("A_\(step)_\(number)")
        after.configurations[id]?["customSettings"] = [["name": .string(id), "value": "b"]]
      }
      guarded = try Self.guarded(after.files, after: guarded.files, accepted: guarded.accepted, held: guarded.held)
      #expect(guarded.held == held, "step \(step): \(guarded.held.summary)")
    }
  }

  @Test("The members of an emptied group stay held even if one user is added to it") func emptyGroup() throws {
    let before = Version()
    var after = before
    after.leave("sales", 1...10)
    let first = try Self.guarded(after.files, after: before.files)
    #expect(first.held.groups == ["sales"])
    after.users[19]["groups"] = ["staff", "sales"]
    let second = try Self.guarded(after.files, after: first.files, accepted: first.accepted, held: first.held)
    #expect(second.held.groups == ["sales"])
    #expect(try second.files.read().users.count { $0.groups.contains("sales") } == 11)
  }

  @Test("Policies without ids in one file are matched by content to find the one that is missing") func places() throws
  {
    func policy(_ name: String, _ more: JSONObject = [:]) -> JSONValue {
      var policy = Version.policy("", "ios", Version.group("staff"))
      policy["id"] = nil
      policy["displayName"] = .string(name)
      for member in more.members { policy[member.name] = member.value }
      return .object(policy)
    }
    let strict = policy("strict", ["saveAsBlocked": true])
    func files(_ policies: JSONValue...) -> TenantFileSet {
      var texts = Version().files.texts
      texts["policies/all.json"] = JSONValue.array(policies).jsonText
      return TenantFileSet(texts: texts)
    }
    let old = files(strict, policy("B"), policy("C"))
    let new = files(policy("B"), policy("C"))
    let kept = try Self.guarded(new, after: old)
    func names(_ files: TenantFileSet) throws -> [String] {
      try files.read().policies.filter { $0.id.hasPrefix("policies/all") }.map(\.displayName).sorted()
    }
    #expect(try names(kept.files) == ["B", "C", "strict"])
    #expect(kept.held.policies == ["policies/all#kept"])
    let more = try Self.guarded(
      files(policy("B"), policy("C"), policy("D")), after: kept.files, accepted: kept.accepted, held: kept.held)
    #expect(try names(more.files) == ["B", "C", "D", "strict"])
    #expect(more.held.count == 1)
    // A policy that is edited in its place is the same one.
    let edited = try Self.guarded(files(policy("strict"), policy("B"), policy("C")), after: old)
    #expect(edited.held.isEmpty)
  }

  @Test("A policy that loses more than a tenth of its apps keeps them all", arguments: ["ios", "default"])
  func apps(kind: String) throws {
    var before = Version()
    before.policies["apps"] = Version.policy("T_apps", kind, Version.group("staff"))
    if kind == "default" { before.policies["apps"]?["assignments"] = nil }
    before.policies["apps"]?["appGroupType"] = "selectedPublicApps"
    before.policies["apps"]?["apps"] = .array((1...31).map { Self.app("com.x\($0)") })
    for (left, isHeld) in [(0, true), (1, true), (27, true), (28, false), (31, false)] {
      var after = before
      after.policies["apps"]?["apps"] = .array((1...31).prefix(left).map { Self.app("com.x\($0)") })
      let guarded = try Self.guarded(after.files, after: before.files)
      #expect(guarded.held.assignments == (isHeld ? ["T_apps"] : []), "\(left)")
      let apps = try guarded.files.read().policies.first { $0.id == "T_apps" }?.targeting.apps
      #expect(apps?.count == (isHeld ? 31 : left), "\(left)")
    }
  }

  @Test("Users with new ids and no groups keep the groups they had under the same names") func recreated() throws {
    let before = Version()
    var after = before
    for index in after.users.indices {
      after.users[index]["id"] = .string("1" + Version.id(index + 1).dropFirst())
      after.users[index]["groups"] = []
    }
    let guarded = try Self.guarded(after.files, after: before.files)
    #expect(guarded.held.groups == ["sales", "staff"])
    let users = try guarded.files.read().users
    #expect(users.count == 20)
    #expect(users.allSatisfy { $0.groups.contains("staff") && $0.id.hasPrefix("1") })
    let again = try Self.guarded(after.files, after: guarded.files, accepted: guarded.accepted, held: guarded.held)
    #expect(again.held == guarded.held)
    #expect(again.files == guarded.files)
  }

  @Test("Restrictive members of tenant.json are held if missing, but can be changed explicitly") func settings() throws
  {
    func files(_ members: JSONObject) -> TenantFileSet {
      var texts = Version().files.texts
      var tenant = Version().files.tenantFile
      for member in members.members { tenant[member.name] = member.value }
      texts["tenant.json"] = JSONValue.object(tenant).jsonText
      return TenantFileSet(texts: texts)
    }
    let pin: JSONValue = .string(String(repeating: "A", count: 43) + "=")
    let closed: JSONObject = [
      "allowedAccounts": ["user1@contoso.example"], "certificatePins": ["c.example": [pin]],
      "unknownRestrictions": "block",
    ]
    let old = files(closed)
    let kept = try Self.guarded(files([:]), after: old)
    #expect(kept.held.settings == ["allowedAccounts", "certificatePins", "unknownRestrictions"])
    for member in closed.members { #expect(kept.files.tenantFile[member.name] == member.value) }
    let again = try Self.guarded(files([:]), after: kept.files, accepted: kept.accepted, held: kept.held)
    #expect(again.held == kept.held)
    #expect(again.files == kept.files)
    let said = files(["allowedAccounts": .null, "certificatePins": [:], "unknownRestrictions": "report"])
    let opened = try Self.guarded(said, after: kept.files, accepted: kept.accepted, held: kept.held)
    #expect(opened.held.isEmpty)
    #expect(opened.files == said)
  }

  @Test("A version of another tenant is refused until removals are allowed") func otherTenant() throws {
    let old = Version().files
    var texts = old.texts
    texts["tenant.json"] = #"{"tenantId": "11111111-1111-4111-8111-111111111111"}"#
    let other = TenantFileSet(texts: texts)
    let guarded = try Self.guarded(other, after: old)
    #expect(guarded.refusal?.description.contains("--allow-removals") == true)
    #expect(guarded.files == old)
    #expect(guarded.accepted == old)
    #expect(guarded.held.tenants.count == 1)
    #expect(try GuardedTenant(other, accepted: nil, served: nil, limit: RemovalLimit()).refusal == nil)
  }

  @Test("A previous version with an unreadable policy is compared as far as it can be read") func unreadable() throws {
    let before = Version()
    var texts = before.files.texts
    var sales = try #require(before.policies["sales"])
    sales["printBlocked"] = "maybe"
    texts["policies/sales.json"] = JSONValue.object(sales).jsonText
    let old = TenantFileSet(texts: texts)
    var after = before
    after.users = []
    let mended = try Self.guarded(after.files, after: old)
    #expect(mended.refusal == nil)
    #expect(mended.held.users.count == 20)
    after.policies["sales"] = nil
    let refused = try Self.guarded(after.files, after: old)
    #expect(refused.held.unreadable == ["T_sales"])
    #expect(refused.refusal?.description.contains("mambridge-tenant accept") == true)
    texts["filters/all.json"] = "{"
    let filters = try Self.guarded(after.files, after: TenantFileSet(texts: texts))
    #expect(filters.held.unreadable == ["T_sales"])
    texts["tenant.json"] = #"{"tenantId": 5}"#
    let damaged = try Self.guarded(before.files, after: TenantFileSet(texts: texts))
    #expect(damaged.refusal != nil)
    #expect(damaged.held.unreadable == ["tenant.json"])
  }
}
