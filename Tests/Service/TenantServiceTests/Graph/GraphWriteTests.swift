import HTTP
import JSON
import Model
import Policy
import Support
import Tenancy
import Testing

@testable import TenantService

@Suite("Graph writes: policies") struct GraphWriteTests {
  typealias Editor = GraphEditorDouble
  static let management = Editor.management
  static let lists = PolicyList.allCases

  @Test(
    "shows the core apps of Microsoft in a policy for them",
    arguments: [(PolicyList.ios, 11), (.android, 13), (.configurations, 0)])
  func coreApps(list: PolicyList, count: Int) async throws {
    let editor = try Editor()
    let id = try await editor.create(list, ["appGroupType": "allCoreMicrosoftApps"])
    let url = "\(Editor.management)/\(list.rawValue)/\(id)"
    #expect(try await editor.send("GET", "\(url)/apps").ids.count == count)
    #expect(try await editor.send("GET", url).value["deployedAppCount"]?.integerValue == Int64(count))
    let app = GraphTargets.Platform(list).app("com.contoso.mail")
    #expect(
      try await editor.send("POST", "\(url)/targetApps", ["apps": [app], "appGroupType": "selectedPublicApps"]).status
        == 204)
    #expect(try await editor.send("GET", "\(url)/apps").ids.count == 1)
  }

  @Test("A new policy gets an id of its type, a version, times and all members of its type", arguments: lists)
  func create(_ list: PolicyList) async throws {
    let editor = try Editor()
    let url = "\(Self.management)/\(list.rawValue)"
    let response = try await editor.send("POST", url, ["displayName": "New"])
    #expect(response.status == 201, "\(response.text)")
    let made = try #require(response.value.objectValue)
    let id = try #require(made["id"]?.stringValue)
    let prefix = ["ios": "T_", "android": "T_", "windows": "I_", "default": "G_", "configurations": "A_"]["\(list)"]
    #expect(id.hasPrefix(prefix ?? "?"))
    #expect(String(id.dropFirst(2)).isGUID)
    let context = "https://tenant.example/beta/$metadata#deviceAppManagement/\(list.rawValue)/$entity"
    #expect(made["@odata.context"]?.stringValue == context)
    for name in ["@odata.type", "apps", "assignments"] { #expect(made[name] == nil) }
    #expect(made["isAssigned"] == (list.isAssigned ? false : nil))
    #expect(made["deployedAppCount"] == 0)
    #expect(made["createdDateTime"] == "2026-09-21T14:13:20.0000000Z")
    #expect(made["lastModifiedDateTime"] == made["createdDateTime"])
    let version = try #require(made["version"]?.stringValue)
    #expect(version.hasPrefix("\""), "\(version)")
    #expect(version.hasSuffix("6ab13b800000\""), "\(version)")
    let missing = GraphPolicyType[list].members.filter { member in
      if case .navigation = member.type { return false }
      return made[member.name] == nil && (list.isAssigned || member.name != "isAssigned")
    }
    #expect(missing.map(\.name) == [])
    #expect(try await editor.send("GET", "\(url)/\(id)").value["displayName"] == "New")
    // What was written is read without a complaint.
    let warnings = try editor.state.withLock { try $0.files.read().warnings }
    #expect(warnings.filter { $0.source.contains(id) } == [])
  }

  @Test("A new policy without assignments applies to nobody, even if its body is a whole export", arguments: lists)
  func nobody(_ list: PolicyList) async throws {
    let editor = try Editor()
    let export: JSONObject = [
      "version": "\"old\"", "isAssigned": true, "deployedAppCount": 11, "id": "T_old",
      "createdDateTime": "2020-01-01T00:00:00Z", "lastModifiedDateTime": "2020-01-01T00:00:00Z",
      "apps@odata.context": "x", "#microsoft.graph.assign": ["target": "x"], "description": .null,
      "@odata.type": .string(list.type),
    ]
    let id = try await editor.create(
      list, list.isAssigned ? export : export.adding(["isAssigned": .null]).without("isAssigned"))
    #expect(id != "T_old")
    let stored = try #require(editor.stored(id))
    #expect(stored["assignments"] == (list.isAssigned ? [] : nil))
    #expect(stored["apps"] == (list == .default ? nil : []))
    #expect(stored["appGroupType"] == (list.hasAppGroup ? "selectedPublicApps" : nil))
    let user = try #require(editor.tenant?.user(GraphWorld.alice))
    let snapshot = try #require(editor.tenant?.snapshot)
    let targeting = snapshot.targeting(of: user, app: "com.example.mail", platform: list.kind?.platforms.first ?? .ios)
    let applied = targeting.policies.map(\.id) + targeting.configurations.map(\.id) + targeting.defaults.map(\.id)
    #expect(applied.contains(id) == (list == .default))
  }

  @Test("Every member of a policy that a client can set reads back as sent", arguments: lists)
  func roundTrip(_ list: PolicyList) async throws {
    let editor = try Editor()
    var body: JSONObject = [:]
    for member in GraphPolicyType[list].members { body[member.name] = member.type.sample }
    for rule in ["disableProtectionOfManagedOutboundOpenInData", "protectInboundDataFromUnknownSources"]
    where body[rule] != nil { body[rule] = false }
    let id = try await editor.create(list, body)
    let url = "\(Self.management)/\(list.rawValue)/\(id)"
    for _ in 0..<2 {
      let read = try await editor.send("GET", url).value
      for member in body.members { #expect(read[member.name] == member.value, "\(member.name)") }
      #expect(try await editor.send("PATCH", url, .object(body)).status == 204)
    }
  }

  @Test("managedAppPolicies accepts a policy of any type if @odata.type names the type", arguments: lists)
  func createInAll(_ list: PolicyList) async throws {
    let editor = try Editor()
    let url = "\(Self.management)/managedAppPolicies"
    let body: JSONValue = ["@odata.type": .string(list.type), "displayName": "New"]
    let made = try await editor.send("POST", url, body)
    #expect(made.status == 201, "\(made.text)")
    let id = made.value["id"]?.stringValue ?? ""
    #expect(try await editor.send("GET", "\(Self.management)/\(list.rawValue)/\(id)").status == 200)
    let read = try await editor.send("GET", "\(url)/\(id)")
    #expect(read.value["@odata.type"]?.stringValue == list.type)
    #expect(
      read.value["@odata.context"]?.stringValue?.hasSuffix(
        "managedAppPolicies/microsoft.graph.\(list.typeName)/$entity") == true)
    #expect(try await editor.send("DELETE", "\(url)/\(id)").status == 204)
    #expect(try await editor.send("GET", "\(url)/\(id)").status == 404)
  }

  @Test(
    "The path of a policy may have its id in parentheses and in any case, and a slash at the end",
    arguments: [
      "/\(Editor.policy)", "('\(Editor.policy)')", "/\(Editor.policy)/", "/" + Editor.policy.lowercased(),
      "('\(Editor.policy)')/",
    ])
  func paths(_ end: String) async throws {
    let editor = try Editor()
    let url = "\(Self.management)/iosManagedAppProtections\(end)"
    let response = try await editor.send("PATCH", url, ["displayName": "Renamed"])
    #expect(response.status == 204, "\(response.text)")
    #expect(response.body.isEmpty, "\(response.text)")
    let stored = try #require(editor.stored(Editor.policy))
    #expect(stored["displayName"] == "Renamed")
    // What was not sent stays, also what nobody knows.
    #expect(stored["pinRequired"] == true)
    #expect(stored["unknownMember"] == ["kept": 1])
    #expect(stored["version"]?.stringValue?.hasPrefix("\"") == true)
    #expect(stored["lastModifiedDateTime"] == "2026-09-21T14:13:20Z")
    #expect(try await editor.send("DELETE", url).status == 204)
    #expect(editor.stored(Editor.policy) == nil)
    #expect(try await editor.send("DELETE", url).status == 404)
  }

  @Test("v1.0 hides members that only beta has, and writes through v1.0 keep them")
  func versions() async throws {
    let editor = try Editor()
    let path = "deviceAppManagement/iosManagedAppProtections/\(Editor.policy)"
    let hidden = ["appGroupType", "roleScopeTagIds"]
    let first = try await editor.send("GET", "/v1.0/" + path).value
    let beta = try await editor.send("GET", "/beta/" + path).value
    for name in hidden {
      #expect(first[name] == nil)
      #expect(beta[name] != nil)
    }
    #expect(try await editor.send("GET", "/v1.0/\(path)?$select=appGroupType").status == 400)
    #expect(try await editor.send("PATCH", "/v1.0/" + path, ["description": "d"]).status == 204)
    let after = try await editor.send("GET", "/beta/" + path).value
    #expect(after["description"] == "d")
    #expect(hidden.allSatisfy { after[$0] == beta[$0] })
    let refused = try await editor.send("PATCH", "/v1.0/" + path, ["roleScopeTagIds": ["1"]])
    #expect(refused.status == 400)
    #expect(refused.message.contains("'roleScopeTagIds' does not exist"))
    let windows = try await editor.send(
      "POST", "/v1.0/deviceAppManagement/windowsManagedAppProtections", ["displayName": "W"])
    #expect(windows.status == 400)
    #expect(windows.message.contains("beta only"))
  }

  static let group: JSONValue = ["@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "staff"]
  static let excluded: JSONValue = [
    "@odata.type": "#microsoft.graph.exclusionGroupAssignmentTarget", "groupId": "guests",
  ]

  @Test("assign replaces all assignments of a policy, even through the path of configurations")
  func assign() async throws {
    let editor = try Editor()
    let rows = [
      ("iosManagedAppProtections", Editor.policy), ("targetedManagedAppConfigurations", Editor.android),
      ("targetedManagedAppConfigurations", Editor.configuration),
    ]
    for (list, id) in rows {
      let body: JSONValue = [
        "assignments": [
          ["id": "old", "source": "direct", "@odata.type": "#microsoft.graph.x", "target": Self.group],
          ["target": Self.excluded], ["target": Self.group],
        ]
      ]
      let response = try await editor.send("POST", "\(Self.management)/\(list)('\(id)')/assign", body)
      #expect(response.status == 204, "\(response.text)")
      let policy = try #require(editor.tenant?.policy(id))
      #expect(policy.assignments?.compactMap { $0["id"]?.stringValue } == ["staff_incl", "guests_excl"])
      let first = policy.assignments?.first
      #expect(first?["source"] == "direct")
      #expect(first?["sourceId"] == "00000000-0000-0000-0000-000000000000")
      #expect(
        first?["target"] == [
          "@odata.type": "#microsoft.graph.groupAssignmentTarget",
          "deviceAndAppManagementAssignmentFilterId": .null, "deviceAndAppManagementAssignmentFilterType": "none",
          "groupId": "staff",
        ])
      #expect(policy.object["isAssigned"] == true)
      let url = "\(Self.management)/\(list)/\(id)/assign"
      #expect(try await editor.send("POST", url, ["assignments": []]).status == 204)
      #expect(editor.tenant?.policy(id)?.assignments == [])
    }
  }

  static func app(_ id: String, _ type: String = "ios", _ member: String = "bundleId") -> JSONValue {
    [
      "mobileAppIdentifier": [
        "@odata.type": .string("#microsoft.graph.\(type)MobileAppIdentifier"), member: .string(id),
      ]
    ]
  }

  @Test("targetApps replaces all apps of a policy and sets selectedPublicApps if no app group is sent")
  func targetApps() async throws {
    let editor = try Editor()
    for list in ["iosManagedAppProtections", "targetedManagedAppConfigurations", "managedAppPolicies"] {
      let url = "\(Self.management)/\(list)/\(Editor.policy)/targetApps"
      let one = try await editor.send("POST", url, ["apps": [Self.app("com.example.mail")]])
      #expect(one.status == 204, "\(one.text)")
      let policy = try #require(editor.tenant?.policy(Editor.policy))
      #expect(policy.apps.first?["id"] == "com.example.mail.ios")
      #expect(policy.apps.first?["version"]?.stringValue.flatMap { Int32($0) } != nil)
      #expect(policy.object["appGroupType"] == "selectedPublicApps")
      #expect(policy.object["deployedAppCount"] == 1)
      #expect(try await editor.send("POST", url, ["apps": [], "appGroupType": "allApps"]).status == 204)
      #expect(editor.tenant?.policy(Editor.policy)?.object["appGroupType"] == "allApps")
    }
    let android = "\(Self.management)/androidManagedAppProtections/\(Editor.android)/targetApps"
    let body: JSONValue = ["apps": [Self.app("com.example.mail", "android", "packageId")], "appGroupType": .null]
    #expect(try await editor.send("POST", android, body).status == 204)
    #expect(editor.tenant?.policy(Editor.android)?.apps.first?["id"] == "com.example.mail.android")
    let standard = "\(Self.management)/managedAppPolicies/\(Editor.standard)/targetApps"
    #expect(try await editor.send("POST", standard, ["apps": [Self.app("a.b")]]).status == 204)
    #expect(editor.stored(Editor.standard)?["appGroupType"] == .null)
  }

  @Test("PATCH replaces the customSettings of a configuration, and an empty list of apps means all apps")
  func configuration() async throws {
    let editor = try Editor()
    let id = try await editor.create(.configurations, ["apps": [], "assignments": []])
    #expect(editor.stored(id)?["appGroupType"] == "allApps")
    let url = "\(Self.management)/targetedManagedAppConfigurations/\(id)"
    let pairs: JSONValue = [["name": "a", "value": "1"], ["@odata.type": "x", "name": "b", "value": "2"]]
    #expect(try await editor.send("PATCH", url, ["customSettings": pairs]).status == 204)
    let last: JSONValue = [["name": "c", "value": "3"]]
    #expect(try await editor.send("PATCH", url, ["customSettings": last]).status == 204)
    #expect(editor.stored(id)?["customSettings"] == last)
    #expect(try await editor.send("POST", "\(url)/changeSettings", ["settings": [["id": "0"]]]).status == 204)
    let read = try await editor.send("GET", "\(url)?$expand=apps,assignments,settings").value
    #expect(read["settings"] == [["id": "0"]])
    #expect(read["apps"] == [])
    #expect(read["assignments"] == [])
    #expect(read["@odata.context"]?.stringValue?.hasSuffix("(apps(),assignments(),settings())/$entity") == true)
    let place =
      "https://tenant.example/beta/$metadata#deviceAppManagement/targetedManagedAppConfigurations('\(id)')/apps"
    #expect(read["apps@odata.context"]?.stringValue == place)
    #expect(try await editor.send("GET", url).value["settings"] == nil)
  }

  @Test("Durations are stored in their normal form, and null sets a member to its default")
  func normalForm() async throws {
    let editor = try Editor()
    let id = try await editor.create(
      .ios,
      [
        "periodOfflineBeforeAccessCheck": "PT720M", "periodBeforePinReset": "P0D", "pinRequired": .null,
        "periodOfflineBeforeWipeIsEnforced": "P12W",
      ])
    var stored = try #require(editor.stored(id))
    #expect(stored["periodOfflineBeforeAccessCheck"] == "PT12H")
    #expect(stored["periodBeforePinReset"] == "PT0S")
    #expect(stored["periodOfflineBeforeWipeIsEnforced"] == "P84D")
    #expect(stored["pinRequired"] == true)
    let url = "\(Self.management)/iosManagedAppProtections/\(id)"
    #expect(
      try await editor.send("PATCH", url, ["minimumPinLength": 9, "minimumRequiredOsVersion": "17.1"]).status == 204)
    #expect(
      try await editor.send("PATCH", url, ["minimumPinLength": .null, "minimumRequiredOsVersion": .null]).status == 204)
    stored = try #require(editor.stored(id))
    #expect(stored["minimumPinLength"] == 4)
    #expect(stored["minimumRequiredOsVersion"] == .null)
    let android = try await editor.create(.android, ["minimumRequiredPatchVersion": .null])
    #expect(editor.stored(android)?["minimumRequiredPatchVersion"] == "0000-00-00")
  }

  @Test("A write to targeting that tenant.json overrides is refused with 409 and names the entry")
  func overrides() async throws {
    let editor = try Editor()
    let url = "\(Self.management)/iosManagedAppProtections/\(Editor.overridden)"
    for (method, path, body) in [
      ("POST", "/assign", ["assignments": []]), ("POST", "/targetApps", ["apps": []]),
      ("PATCH", "", ["appGroupType": "selectedPublicApps"]),
    ] as [(String, String, JSONValue)] {
      let response = try await editor.send(method, url + path, body)
      #expect(response.status == 409, "\(response.text)")
      #expect(response.message.contains("assignments/0"), "\(response.text)")
      #expect(response.message.contains("policies/overridden.json"))
    }
    // What a client sends back as it has read it is no change.
    let same: JSONValue = ["description": "d", "appGroupType": "allApps"]
    #expect(try await editor.send("PATCH", url, same).status == 204)
    #expect(try await editor.send("DELETE", url).status == 204)
    let device = try await editor.send(
      "PATCH", "\(Self.management)/managedAppPolicies/\(Editor.device)", ["displayName": "x"])
    #expect(device.status == 400)
    let found = try #require(editor.tenant?.policies.first { $0.file == "policies/device.json" })
    let conflict = try await editor.send(
      "PATCH", "\(Self.management)/\(found.list.rawValue)/\(found.id.percentEncoded)", ["description": "x"])
    #expect(conflict.status == 409, "\(conflict.text)")
    #expect(conflict.message.contains("export of Graph"), "\(conflict.text)")
  }

  @Test("A write with If-Match succeeds only if the policy still has that version")
  func preconditions() async throws {
    let editor = try Editor()
    let id = try await editor.create(.ios)
    let url = "\(Self.management)/iosManagedAppProtections/\(id)"
    let version = try #require(editor.stored(id)?["version"]?.stringValue)
    let rows: [(match: String, status: Int)] = [("\"other\"", 412), (version, 204), (version, 412), ("*", 204)]
    for row in rows {
      editor.world.clock.advance(byMilliseconds: 1000)
      let response = try await editor.send("PATCH", url, ["description": "d"], headers: ["If-Match": row.match])
      #expect(response.status == row.status, "\(row.match) \(response.text)")
    }
    #expect(try await editor.send("DELETE", url, headers: ["If-Match": version]).status == 412)
    let tag = try #require(try await editor.send("GET", url).headers["ETag"])
    #expect(try await editor.send("PATCH", url, ["description": "e"], headers: ["If-Match": tag]).status == 204)
    #expect(try await editor.send("DELETE", url, headers: ["If-Match": tag]).status == 412)
  }

  @Test("A creation that is retried after a conflict keeps its id and version")
  func races() async throws {
    let editor = try Editor()
    editor.state.withLock { $0.races = 3 }
    let made = try await editor.send("POST", "\(Self.management)/iosManagedAppProtections", ["displayName": "N"])
    let id = try #require(made.value["id"]?.stringValue)
    #expect(editor.stored(id)?["version"] == made.value["version"])
  }

  @Test("A write with $preview=true changes nothing")
  func preview() async throws {
    let editor = try Editor()
    let before = editor.state.withLock(\.files)
    let url = "\(Self.management)/iosManagedAppProtections"
    for (method, path, body) in [
      ("POST", "", ["displayName": "N"]), ("PATCH", "/\(Editor.policy)", ["description": "d"]),
      ("DELETE", "/\(Editor.policy)", nil), ("POST", "/\(Editor.policy)/assign", ["assignments": []]),
    ] as [(String, String, JSONValue?)] {
      let response = try await editor.send(method, "\(url)\(path)?$preview=true", body)
      #expect(response.status == 200, "\(response.text)")
      #expect(response.value["edits"] == 1, "\(response.text)")
    }
    #expect(editor.state.withLock(\.files) == before)
    #expect(try await editor.send("DELETE", "\(url)/\(Editor.policy)?$preview=yes").status == 400)
  }

  @Test("Writing needs a write role, and a write that may lead to a wipe also the right to wipe")
  func rights() async throws {
    let editor = try Editor()
    let url = "\(Self.management)/iosManagedAppProtections"
    let body: JSONValue = ["displayName": "N"]
    for roles in [[GraphAdministrators.writeRole], [GraphAdministrators.readRole], []] as [Set<String>] {
      let response = try await editor.send("POST", url, body, caller: GraphWorld.caller(roles))
      #expect(response.status == 403, "\(response.text)")
      #expect(roles.isEmpty || response.message.contains("Assign the role Writer"))
    }
    #expect(try await editor.send("POST", url, body, caller: nil).status == 401)
    #expect(try await editor.send("POST", url, body).status == 201)
    let both = GraphWorld.caller(["Writer", GraphAdministrators.writeRole])
    #expect(try await editor.send("POST", url, body, caller: both).status == 201)
    #expect(editor.state.withLock { $0.orders.map(\.mayWipe) } == [false, true])
    #expect(editor.state.withLock { $0.orders.map(\.actor) } == [GraphWorld.alice, GraphWorld.alice])
    #expect(editor.world.state.withLock { $0.calls.map(\.status) } == [403, 403, 201, 201])
    let wipe = "/beta/users/\(GraphWorld.alice)/wipeManagedAppRegistrationByDeviceTag"
    #expect(try await editor.send("POST", wipe, ["deviceTag": "tag1"]).status == 403)
    #expect(try await editor.send("POST", wipe, ["deviceTag": "tag1"], caller: both).status == 204)
    let none = try Editor { $0.administrators = GraphAdministrators() }
    let refused = try await none.send("POST", url, body, caller: both)
    #expect(refused.status == 403)
    #expect(refused.message.contains("--write-role"))
  }

  @Test("Each Graph write is reported to the audit with its outcome")
  func reports() async throws {
    let editor = try Editor()
    let url = "\(Self.management)/iosManagedAppProtections"
    _ = try await editor.send("DELETE", "\(url)/\(Editor.policy)")
    _ = try await editor.send("POST", url, [:])
    _ = try await editor.send("GET", url)
    let calls = editor.world.state.withLock(\.calls)
    #expect(calls.map(\.method) == ["DELETE", "POST"])
    #expect(calls.map(\.status) == [204, 400])
    #expect(calls.allSatisfy { $0.isWrite })
    #expect(calls[0].path == "\(url)/\(Editor.policy)")
  }

  @Test(
    "Paths that Microsoft Graph does not have are refused",
    arguments: [
      ("POST", "iosManagedAppProtections/\(Editor.policy)/apps", 400),
      ("POST", "iosManagedAppProtections/\(Editor.policy)/assignments", 400),
      ("PATCH", "iosManagedAppProtections/\(Editor.policy)/apps/x", 400),
      ("DELETE", "iosManagedAppProtections/\(Editor.policy)/apps/x", 400),
      ("GET", "iosManagedAppProtections/\(Editor.policy)/apps/x", 404),
      ("GET", "iosManagedAppProtections/\(Editor.policy)/deploymentSummary", 404),
      ("PATCH", "managedAppPolicies/\(Editor.policy)", 400),
      ("POST", "defaultManagedAppProtections/\(Editor.standard)/assign", 400),
      ("PUT", "iosManagedAppProtections/\(Editor.policy)", 400),
    ])
  func noRoute(_ method: String, _ path: String, _ status: Int) async throws {
    let response = try await Editor().send(method, "\(Self.management)/\(path)", method == "GET" ? nil : [:])
    #expect(response.status == status, "\(response.text)")
  }
}

extension JSONObject {
  fileprivate func without(_ name: String) -> JSONObject {
    JSONObject(members.filter { $0.name != name }.map { ($0.name, $0.value) })
  }
}

extension GraphMemberType {
  /// A value that is not the default; `nil` for what a client cannot set.
  fileprivate var sample: JSONValue? {
    switch self {
    case .flag: true
    case .integer(let range): .integer(min(range.upperBound, 17))
    case .duration: "P1DT6H"
    case .text: "text"
    case .version(let isDate): isDate ? "2026-01-05" : "7.1"
    case .word(let words): .string(words.last ?? "")
    case .flags(let words, _): .string(words.suffix(2).joined(separator: ","))
    case .words(let words): .array(words.prefix(1).map(JSONValue.string))
    case .texts: ["one", "two"]
    case .pairs: [["name": "n", "value": "v"]]
    case .readOnly, .navigation: nil
    }
  }
}
