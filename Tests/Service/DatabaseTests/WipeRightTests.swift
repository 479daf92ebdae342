import Database
import JSON
import Model
import Support
import Tenancy
import Testing

@testable import TenantService

/// Which writes need the right to wipe: those after which something may be wiped that may not be wiped before.
@Suite("WipeRight", .timeLimit(.minutes(5))) struct WipeRightTests {
  /// One write and its status for whoever may not wipe.
  struct Case: Sendable, CustomTestStringConvertible {
    let title: String
    let status: Int
    let edit: @Sendable (GraphTenant) -> TenantEdit
    var testDescription: String { "\(title) \(status)" }

    init(_ title: String, _ status: Int, _ edit: @escaping @Sendable (GraphTenant) -> TenantEdit) {
      (self.title, self.status, self.edit) = (title, status, edit)
    }

    /// Changes one member of a policy.
    init(_ id: String, _ name: String, _ value: JSONValue, _ status: Int) {
      self.init("\(id) \(name) \(value.jsonText.prefix(200))", status) { tenant in
        guard let policy = tenant.policy(id), var object = policy.stored else { return .remove(.ios, id: "none") }
        object[name] = value
        return .set(policy.list, object)
      }
    }
  }

  private static let filter = "33333333-0000-4000-8000-00000000000A"
  private static let filterName = "deviceAndAppManagementAssignmentFilter"

  static func target(_ groups: String...) -> JSONValue {
    .array(
      groups.map { ["target": ["@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": .string($0)]] })
  }

  static func apps(_ ids: String...) -> JSONValue {
    .array(ids.map { ["mobileAppIdentifier": ["bundleId": .string($0)]] })
  }

  static func policy(_ kind: String, _ id: String, _ members: JSONObject) -> String {
    let object: JSONObject = [
      "@odata.type": .string("#microsoft.graph.\(kind)ManagedAppProtection"), "id": .string(id),
    ]
    return JSONValue.object(object.adding(members)).jsonText
  }

  /// Alice has a policy that wipes nothing but what is offline for 90 days, Bob one that wipes, and both another one where
  /// these are not for the app: the default policy, which wipes jailbroken devices.
  static let files: [String: String] = [
    "tenant.json": """
    {"tenantId": "\(EditedWorld.tenantId)", "users": [
      {"id": "\(EditedWorld.alice)", "userPrincipalName": "alice@contoso.example", "groups": ["staff"]},
      {"id": "\(EditedWorld.bob)", "userPrincipalName": "bob@contoso.example", "groups": ["wiped"]}]}
    """,
    "policies/open.json": policy(
      "ios", "T_open",
      [
        "minimumPinLength": 4, "pinRequired": true, "maximumPinRetries": 5, "periodOfflineBeforeWipeIsEnforced": "P90D",
        "appGroupType": "selectedPublicApps", "apps": apps("com.contoso.mail"), "assignments": target("staff"),
      ]),
    "policies/wiping.json": policy(
      "ios", "T_wiping",
      [
        "deviceComplianceRequired": true, "appActionIfDeviceComplianceRequired": "wipe",
        "minimumWipeOsVersion": "15.0", "maximumWipeOsVersion": "20.0", "pinRequired": true, "maximumPinRetries": 5,
        "appActionIfMaximumPinRetriesExceeded": "wipe", "allowedIosDeviceModels": "iPhone1,1;iPhone1,2",
        "appActionIfIosDeviceModelNotAllowed": "wipe", "maximumAllowedDeviceThreatLevel": "medium",
        "mobileThreatDefenseRemediationAction": "wipe", "periodOfflineBeforeWipeIsEnforced": "P90D",
        "appGroupType": "selectedPublicApps", "apps": apps("com.contoso.mail"), "assignments": target("wiped"),
      ]),
    "policies/dormant.json": policy(
      "ios", "T_dormant",
      [
        "deviceComplianceRequired": false, "appActionIfDeviceComplianceRequired": "wipe", "pinRequired": false,
        "appActionIfMaximumPinRetriesExceeded": "wipe", "maximumPinRetries": 5, "assignments": [], "apps": [],
        "appGroupType": "allApps",
      ]),
    "policies/filtered.json": policy(
      "ios", "T_filtered",
      [
        "minimumWipeAppVersion": "2.0", "appGroupType": "selectedPublicApps", "apps": apps("com.contoso.files"),
        "assignments": filtered("include"),
      ]),
    "policies/default.json": policy(
      "default", "G_1", ["deviceComplianceRequired": true, "appActionIfDeviceComplianceRequired": "wipe"]),
    "filters/one.json": """
    {"id": "\(filter)", "displayName": "Unmanaged", "platform": "iOSMobileApplicationManagement",
     "assignmentFilterManagementType": "apps", "rule": "(app.osVersion -contains \\"17\\")"}
    """,
  ]

  static func filtered(_ mode: String, _ group: String = "staff") -> JSONValue {
    [
      [
        "target": [
          "@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": .string(group),
          filterName + "Id": .string(filter), filterName + "Type": .string(mode),
        ]
      ]
    ]
  }

  static func user(_ id: String, _ groups: JSONValue) -> TenantEdit {
    .setUser(
      ["id": .string(id), "userPrincipalName": .string("\(id.prefix(4))@contoso.example"), "groups": groups])
  }

  static let cases: [Case] = [
    // A rule whose action is wipe already.
    Case("T_wiping", "minimumWipeOsVersion", "15.0.1", 403), Case("T_wiping", "minimumWipeOsVersion", "14.0", 200),
    Case("T_wiping", "minimumWipeOsVersion", .null, 200), Case("T_wiping", "minimumRequiredOsVersion", "19.0", 200),
    Case("T_wiping", "maximumWipeOsVersion", "19.0", 403), Case("T_wiping", "maximumWipeOsVersion", "21.0", 200),
    Case("T_wiping", "minimumWipeAppVersion", "0.1", 403), Case("T_open", "minimumRequiredAppVersion", "0.1", 200),
    Case("T_wiping", "maximumPinRetries", 4, 403), Case("T_wiping", "maximumPinRetries", 6, 200),
    Case("T_open", "maximumPinRetries", 4, 200), Case("T_wiping", "minimumPinLength", 8, 200),
    Case("T_wiping", "allowedIosDeviceModels", "iPhone1,1", 403),
    Case("T_wiping", "allowedIosDeviceModels", "iPhone1,1;iPhone1,2;iPhone1,3", 200),
    Case("T_wiping", "maximumAllowedDeviceThreatLevel", "low", 403),
    Case("T_wiping", "maximumAllowedDeviceThreatLevel", "high", 200),
    Case("T_open", "maximumAllowedDeviceThreatLevel", "low", 200),
    Case("T_wiping", "periodOfflineBeforeWipeIsEnforced", "P89D", 403),
    Case("T_wiping", "periodOfflineBeforeWipeIsEnforced", "P120D", 200),
    Case("T_wiping", "appActionIfDeviceComplianceRequired", "block", 200),
    Case("T_open", "appActionIfUnableToAuthenticateUser", "wipe", 403),
    Case("T_open", "appActionIfUnableToAuthenticateUser", "block", 200),
    // What makes a rule apply whose action is wipe, also if the policy is for nobody.
    Case("T_dormant", "deviceComplianceRequired", true, 403), Case("T_dormant", "pinRequired", true, 403),
    Case("T_dormant", "saveAsBlocked", true, 200), Case("T_dormant", "maximumPinRetries", 4, 200),
    // What nothing here decides, but Intune does.
    Case("G_1", "minimumWipePatchVersion", "2026-01-01", 403),
    Case("G_1", "minimumRequiredPatchVersion", "2026-01-01", 200),
    // Whom it is for.
    Case("T_wiping", "assignments", target("wiped", "staff"), 403),
    Case("T_wiping", "assignments", target("wiped", "later"), 403), Case("T_wiping", "assignments", target(), 200),
    Case("T_open", "assignments", target("staff", "later"), 200),
    Case("T_open", "assignments", target("staff", "wiped"), 200),
    Case("T_wiping", "apps", apps("com.contoso.mail", "com.contoso.notes"), 403),
    Case("T_open", "apps", apps("com.contoso.mail", "com.contoso.notes"), 200),
    Case("T_wiping", "appGroupType", "allApps", 403), Case("T_open", "appGroupType", "allApps", 200),
    Case("T_filtered", "assignments", target("staff"), 403),
    Case("T_filtered", "assignments", filtered("exclude"), 403),
    Case("T_filtered", "assignments", target(), 403), Case("T_filtered", "displayName", "Files", 200),
    Case("T_wiping", "assignments", filtered("include", "wiped"), 200),
    Case("T_open", "assignments", filtered("include", "later"), 403),
    // What a policy hides.
    Case("delete what hides", 403) { _ in .remove(.ios, id: "T_open") },
    Case("delete what hides what wipes as well", 200) { _ in .remove(.ios, id: "T_wiping") },
    Case("delete what is hidden", 200) { _ in .remove(.default, id: "G_1") },
    Case("T_open", "assignments", target(), 403), Case("T_open", "apps", apps("com.contoso.notes"), 403),
    // Users and groups.
    Case("join", 403) { _ in user(EditedWorld.alice, ["staff", "wiped"]) },
    Case("leave for what wipes", 403) { _ in user(EditedWorld.alice, []) },
    Case("leave what wipes", 200) { _ in user(EditedWorld.bob, []) },
    Case("join what hides", 200) { _ in user(EditedWorld.bob, ["wiped", "staff"]) },
    Case("a new user", 200) { _ in user("cccccccc-1111-4111-8111-cccccccccccc", ["wiped"]) },
    // New policies.
    Case("a new policy that wipes, for nobody", 403) { _ in
      .set(
        .ios,
        [
          "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_new", "minimumWipeOsVersion": "1.0",
          "apps": [], "assignments": [],
        ])
    },
    Case("a new policy that wipes nothing", 200) { _ in
      .set(
        .ios,
        [
          "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_new", "pinRequired": true,
          "apps": apps("com.contoso.mail"), "assignments": target("wiped"),
        ])
    },
  ]

  @Test("what may be wiped only after a write needs the right to wipe", arguments: cases)
  func write(_ edit: Case) async throws {
    let world = try await EditedWorld(.sqlite, files: Self.files)
    var refusal: GraphError?
    let order = TenantEditOrder(actor: "admin", mayWipe: false, wipeRight: "the role Wiper")
    do throws(GraphError) { try await world.editor.edit(order) { [edit.edit($0)] } } catch { refusal = error }
    #expect(refusal?.status ?? 200 == edit.status, "\(refusal?.message ?? "")")
    #expect(try await (world.source().texts == Self.files) == (edit.status == 403))
    guard let refusal else { return }
    #expect(refusal.message.contains("Ask for the role Wiper"), "\(refusal.message)")
    #expect(refusal.message.contains("-> wipe") || refusal.message.contains("because it sets"), "\(refusal.message)")
    // Whoever may wipe may do it.
    try await world.editor.edit(TenantEditOrder(actor: "admin", mayWipe: true)) { [edit.edit($0)] }
    #expect(try await world.source().texts != Self.files)
  }

  /// Registers a host of Alice with this version of its system.
  private func world(_ version: String, _ engine: DatabaseEngine) async throws -> EditedWorld {
    let world = try await EditedWorld(engine, files: Self.files)
    try await world.store.database.write { session throws(DatabaseError) in
      try session.enroll(
        Registration(
          id: "r-1", secretHash: [], tenantId: EditedWorld.tenantId, userId: EditedWorld.alice,
          appId: "com.contoso.files", deviceTag: "device 1",
          facts: RegistrationFacts(["platform": "ios", "osVersion": .string(version), "appVersion": "3.0"]),
          created: EditedWorld.start, lastSync: EditedWorld.start))
    }
    return world
  }

  @Test(
    "a preview counts the registered devices that could be wiped only after the change", arguments: Engines.all,
    [("16.4", 1), ("17.4", 0)])
  func endangered(engine: DatabaseEngine, device: (version: String, count: Int64)) async throws {
    // The filter is for devices with 17, which have the policy already.
    let world = try await world(device.version, engine)
    let preview = try await world.editor.preview(EditedWorld.order) { tenant in
      guard var object = tenant.policy("T_filtered")?.stored else { return [] }
      object["assignments"] = Self.target("staff")
      return [.set(.ios, object)]
    }
    #expect(preview["endangered"]?["count"]?.integerValue == device.count, "\(preview.jsonText)")
    #expect(preview["wiped"]?["count"] == 0)
  }
}
