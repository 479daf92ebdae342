import TestSupport
import Testing

@testable import Model
@testable import Policy
@testable import Tenancy

/// Two versions of a tenant in folders.
private struct Versions {
  static let user = #"{"id": "11111111-1111-1111-1111-111111111111", "userPrincipalName": "alice@contoso.example"}"#
  static let type =
    ##""@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Sales", "contactSyncBlocked": false"##

  let old = TemporaryFolder()
  let new = TemporaryFolder()

  init(_ before: String = "", _ after: String = "", members: (String, String) = ("", "")) {
    write(before, members.0, to: old)
    write(after, members.1, to: new)
  }

  private func write(_ settings: String, _ members: String, to folder: TemporaryFolder) {
    folder.write("{\"tenantId\": \"t\", \"users\": [\(Self.user)]\(members)}", to: "tenant.json")
    folder.write("{\n\(Self.type)\(settings)\n}", to: "policies/sales.json")
  }

  func differences(user: String? = nil, app: String? = nil) throws -> TenantDifferences {
    try TenantDifferences(
      ComparedTenant(.folder(old.path)), ComparedTenant(.folder(new.path)), user: user.map { AccountReference($0) },
      app: app)
  }

  /// The differences of the only group.
  func rows() throws -> [DecisionDifference] {
    let groups = try differences().groups
    #expect(groups.count <= 1)
    return groups.first?.differences ?? []
  }

  func row(_ decision: String, _ title: String? = nil) throws -> DecisionDifference? {
    try rows().first { $0.decision == decision && (title == nil || $0.title == title) }
  }
}

@Suite struct TenantDifferencesTests {
  @Test("A comparison names each case in which a decision differs, including the usual one")
  func usualCase() throws {
    let row = try Versions(",\n\"pinRequired\": true", ",\n\"pinRequired\": false").row("isPINRequired")
    #expect(row?.old == "required")
    #expect(row?.new == "not required")
    #expect(row?.subjects.first == "if the device has no PIN")
    #expect(row?.subjects.contains("") == false)
  }

  @Test("A setting that blocks more is reported as tighter, with the file and line of its member")
  func tighter() throws {
    let versions = Versions(
      ",\n\"saveAsBlocked\": true,\n\"allowedDataStorageLocations\": [\"box\", \"sharePoint\"]",
      ",\n\"saveAsBlocked\": true,\n\n\"allowedDataStorageLocations\": [\"sharePoint\"]")
    let rows = try versions.rows()
    #expect(rows.map(\.decision) == ["isSaveToAllowedForLocation"])
    let row = try #require(rows.first)
    #expect(row.effect == .tighter)
    #expect(row.old == "allowed")
    #expect(row.new == "blocked")
    #expect(row.subjects == ["box of the same account"])
    #expect(row.causes.map(\.member) == ["allowedDataStorageLocations"])
    let cause = row.causes.first
    #expect(cause?.file == "policies/sales.json")
    #expect(cause?.line == 5)
    #expect(cause?.isInOldVersion == false)
  }

  @Test("A shorter offline wipe period is reported as destructive, with the affected interval")
  func offlineInterval() throws {
    let versions = Versions(
      ",\n\"periodOfflineBeforeWipeIsEnforced\": \"P90D\"", ",\n\"periodOfflineBeforeWipeIsEnforced\": \"P30D\"")
    let row = try versions.row("conditionalLaunch", "online again, sign-in refused, offline before for")
    #expect(row?.effect == .destroys)
    #expect(row?.old == "allow")
    #expect(row?.new == "wipe")
    #expect(row?.subjects == ["30 days to less than 90 days"])
    let others = try versions.rows().filter { $0.effect == .destroys }
    #expect(others.count == 1)
  }

  @Test("A changed version limit is reported as the interval of versions between the limits")
  func versionInterval() throws {
    let versions = Versions(
      ",\n\"minimumRequiredOsVersion\": \"14.0\"", ",\n\"minimumRequiredOsVersion\": \"15.1\"")
    let row = try versions.row("conditionalLaunch")
    #expect(row?.subjects == ["from 14.0 below 15.1"])
    #expect(row?.old == "allow")
    #expect(row?.new == "block")
  }

  @Test("The cause of a difference names only the member that changed the decision")
  func jointCause() throws {
    let versions = Versions(
      ",\n\"pinRequired\": false,\n\"saveAsBlocked\": false",
      ",\n\"saveAsBlocked\": true,\n\"pinRequired\": false,\n\"allowedOutboundDataTransferDestinations\": \"managedApps\""
    )
    let rows = try versions.rows().filter { $0.decision == "hasSaveRestriction" }
    #expect(rows.map { $0.causes.map(\.member) } == [["saveAsBlocked"]])
  }

  @Test("A comparison ignores names, versions, dates and the order of members")
  func volatileMembers() throws {
    let versions = Versions(
      ",\n\"version\": \"1\", \"pinRequired\": true, \"printBlocked\": true, \"description\": \"a\"",
      ",\n\"version\": \"2\", \"lastModifiedDateTime\": \"2030-01-01T00:00:00Z\", \"printBlocked\": true, \"pinRequired\": true"
    )
    let differences = try versions.differences()
    #expect(differences.isEqual)
    #expect(differences.userCount == 1)
  }

  @Test("A changed member without effect on any decision is not a difference")
  func undecidingMember() throws {
    let differences = try Versions("", ",\n\"minimumPinLength\": 8").differences()
    #expect(differences.isEqual)
    #expect(differences.questionCount > 100)
  }

  @Test("A changed setting that mambridge does not enforce or know is reported as a difference")
  func undecidedElsewhere() throws {
    let rows = try Versions(
      ",\n\"managedBrowser\": \"notConfigured\"",
      ",\n\"managedBrowser\": \"microsoftEdge\",\n\"futureDataBlocked\": true"
    ).rows()
    #expect(rows.map(\.decision) == ["informs", "unknown"])
    #expect(rows.allSatisfy { $0.effect == .other })
    #expect(rows.map(\.subjects) == [["managedBrowser"], ["futureDataBlocked"]])
    #expect(rows.map { $0.causes.map(\.line) } == [[3], [4]])
  }

  @Test("A policy that is no longer assigned is reported as lost, without a row for each decision")
  func lostPolicy() throws {
    let assigned = ", \"assignments\": [{\"policy\": \"policies/sales.json\", \"groups\": [\"*\"]}]"
    let taken = ", \"assignments\": [{\"policy\": \"policies/sales.json\", \"groups\": [\"Staff\"]}]"
    let rows = try Versions(",\"pinRequired\": true", ",\"pinRequired\": true", members: (assigned, taken)).rows()
    #expect(rows.map(\.decision) == ["policyLost"])
    #expect(rows.first?.effect == .looser)
    #expect(
      rows.first?.causes.first?.text
        == "group \"*\" is no longer assigned \"Sales\"; group \"Staff\" is now assigned \"Sales\"")
    #expect(rows.first?.causes.first?.file == "tenant.json")
  }

  @Test("A comparison lists added, removed and disabled users and ordered wipes separately")
  func users() throws {
    let versions = Versions(",\n\"appActionIfUnableToAuthenticateUser\": \"wipe\"")
    func user(_ id: Int, _ more: String = "") -> String {
      "{\"id\": \"1111111\(id)-1111-1111-1111-111111111111\", \"userPrincipalName\": \"u\(id)@contoso.example\"\(more)}"
    }
    versions.old.write(
      "{\"tenantId\": \"t\", \"users\": [\(user(1)), \(user(2)), \(user(3))]}", to: "tenant.json")
    versions.new.write(
      """
      {"tenantId": "t", "users": [\(user(2, ", \"accountEnabled\": false")), \(user(3)), \(user(4))],
       "operations": [{"type": "wipe", "user": "u3@contoso.example", "app": "*"}]}
      """, to: "tenant.json")
    let found = try versions.differences().users
    #expect(found.map(\.kind) == [.added, .removed, .disabled, .wipeOrdered])
    #expect(found.map(\.effect) == [.other, .other, .destroys, .destroys])
    #expect(found.flatMap(\.users.names) == (["4", "1", "2", "3"].map { "u\($0)@contoso.example" }))
  }

  @Test("A comparison refuses another tenant and a user that neither version lists")
  func faults() throws {
    let versions = Versions()
    #expect(throws: ComparisonFault.unknownUser("bob@contoso.example")) {
      try versions.differences(user: "bob@contoso.example")
    }
    versions.new.write("{\"tenantId\": \"u\", \"users\": []}", to: "tenant.json")
    #expect(throws: ComparisonFault.otherTenant(old: "t", new: "u")) { try versions.differences() }
  }

  @Test("A comparison refuses a version with a damaged policy")
  func damaged() throws {
    let versions = Versions()
    versions.new.write("{", to: "policies/sales.json")
    #expect(throws: TenantError.self) { try versions.differences() }
  }

  @Test("A changed app configuration is reported by the values of its key")
  func configuration() throws {
    let versions = Versions(",\"pinRequired\": true", ",\"pinRequired\": true")
    let type = ##""@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1""##
    func entries(_ values: String...) -> String {
      values.map { "{\"name\": \"server\", \"value\": \"\($0)\"}" }.joined(separator: ", ")
    }
    versions.old.write("{\(type), \"customSettings\": [\(entries("a", "z"))]}", to: "configurations/a.json")
    versions.new.write("{\(type),\n\"customSettings\": [\(entries("b", "z"))]}", to: "configurations/a.json")
    let rows = try versions.rows()
    #expect(rows.map(\.decision) == ["appConfig"])
    #expect(rows.first?.subjects == ["server"])
    #expect(rows.first?.old == "a")
    #expect(rows.first?.new == "b")
    #expect(rows.first?.isConfiguration == true)
    #expect(rows.first?.causes.map(\.member) == ["customSettings/server"])
    #expect(rows.first?.causes.first?.line == 2)
  }

  @Test("Users with the same differences form one group")
  func groups() throws {
    let versions = Versions(",\"printBlocked\": false", ",\"printBlocked\": true")
    let users = (0..<20).map { "{\"userPrincipalName\": \"u\($0)@contoso.example\"}" }.joined(separator: ",")
    for folder in [versions.old, versions.new] {
      folder.write("{\"tenantId\": \"t\", \"users\": [\(users)]}", to: "tenant.json")
    }
    let groups = try versions.differences().groups
    #expect(groups.map(\.users.count) == [20])
    #expect(groups.first?.policies == ["Sales"])
    #expect(groups.first?.devices.map(\.platform) == [.ios])
    #expect(groups.first?.apps == [.otherOfMicrosoft, .other])
    let one = try versions.differences(user: "u3@contoso.example", app: "com.example.mail").groups
    #expect(one.map(\.users.names) == [["u3@contoso.example"]])
    #expect(one.first?.apps == [.named("com.example.mail")])
  }

  /// Two versions in which users are in groups, by name, and Sales gets the policy.
  private static func moving(
    _ before: [String: String?], _ after: [String: String?],
    assigned: String = #"{"policy": "./policies/sales.json", "groups": ["Sales"]}"#
  ) -> Versions {
    let versions = Versions(",\n\"printBlocked\": true", ",\n\"printBlocked\": true")
    for (folder, users) in [(versions.old, before), (versions.new, after)] {
      let list = users.sorted { $0.key < $1.key }.map { name, groups in
        let groups = groups.map { ",\n\"groups\": [\($0)]" } ?? ""
        return "{\"userPrincipalName\": \"\(name)@contoso.example\"\(groups)}"
      }
      folder.write(
        "{\"tenantId\": \"t\", \"users\": [\n\(list.joined(separator: ",\n"))],\n\"assignments\": [\(assigned)]}",
        to: "tenant.json")
    }
    return versions
  }

  @Test("A user who leaves or joins a group is reported as the cause, with the line of the groups")
  func movedUsers() throws {
    let versions = Self.moving(
      ["a": #""Sales""#, "b": #""Sales", "Other""#, "c": nil], ["a": #""HR""#, "b": #""sales""#, "c": #""SALES""#])
    let groups = try versions.differences().groups
    let causes = groups.flatMap(\.differences).flatMap(\.causes)
    #expect(groups.map(\.users.names) == [["a@contoso.example"], ["c@contoso.example"]])
    #expect(groups.flatMap(\.differences).map(\.decision) == ["policyLost", "policyGained"])
    #expect(causes.map(\.text) == [#"left the group "Sales""#, #"joined the group "SALES""#])
    #expect(causes.map(\.line) == [3, 7])
    #expect(causes.allSatisfy { $0.file == "tenant.json" && $0.member == "groups" })
    #expect(groups.map(\.groups) == [["Sales"], ["Sales"]])
  }

  @Test("A group that only the old version gives a user is reported with its line there")
  func leftAllGroups() throws {
    let versions = Self.moving(["a": #""HR", "Sales""#], ["a": nil])
    let cause = try versions.rows().first?.causes.first
    #expect(cause?.text == #"left the group "Sales""#)
    #expect(cause?.isInOldVersion == true)
    #expect(cause?.line == 3)
  }

  @Test("Users who left different groups are reported in separate groups with their own causes")
  func severalMoves() throws {
    let assigned = #"{"policy": "policies/sales.json", "groups": ["Sales", "HR"]}"#
    let versions = Self.moving(
      ["a": #""Sales""#, "b": #""HR""#, "c": #""HR""#], ["a": #""X""#, "b": nil, "c": nil], assigned: assigned)
    let groups = try versions.differences().groups
    #expect(groups.map(\.users.count) == [2, 1])
    #expect(
      groups.flatMap(\.differences).flatMap(\.causes).map(\.text) == [
        #"left the group "HR""#, #"left the group "Sales""#,
      ])
    #expect(groups.map(\.groups) == [["HR"], ["Sales"]])
  }

  @Test("A changed assignment is reported with the line of its groups")
  func assignmentLine() throws {
    let versions = Self.moving(["a": #""Sales""#], ["a": #""Sales""#])
    let users = "{\"userPrincipalName\": \"a@contoso.example\",\n\"groups\": [\"Sales\"]}"
    let assigned = "{\"policy\": \"policies/sales.json\",\n\"groups\": [\"HR\"]}"
    versions.new.write(
      "{\"tenantId\": \"t\", \"users\": [\(users)],\n\"assignments\": [\(assigned)]}", to: "tenant.json")
    let cause = try versions.rows().first?.causes.first
    #expect(cause?.member == "assignments")
    #expect(cause?.line == 4)
    #expect(cause?.file == "tenant.json")
  }

  @Test("Joining an excluded group is reported as the cause of a lost policy")
  func excludedGroup() throws {
    let target = "\"@odata.type\": \"#microsoft.graph."
    let own =
      ",\n\"appGroupType\": \"allApps\", \"assignments\": [{\"target\": {\(target)allLicensedUsersAssignmentTarget\"}},"
      + "{\"target\": {\(target)exclusionGroupAssignmentTarget\", \"groupId\": \"Guests\"}}]"
    let versions = Versions(own, own)
    for (folder, groups) in [(versions.old, ""), (versions.new, "\"Guests\"")] {
      folder.write(
        "{\"tenantId\": \"t\", \"users\": [\n{\"userPrincipalName\": \"a@contoso.example\", \"groups\": [\(groups)]}]}",
        to: "tenant.json")
    }
    let groups = try versions.differences().groups
    let row = groups.first?.differences.first
    #expect(row?.decision == "policyLost")
    #expect(row?.causes.map(\.text) == [#"joined the group "Guests""#])
    #expect(row?.causes.first?.line == 2)
    #expect(groups.first?.groups == [])
  }
}
