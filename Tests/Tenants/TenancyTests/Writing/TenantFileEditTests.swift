import JSON
import Model
import Tenancy
import Testing

/// An edit changes what it names, and nothing else of the files.
@Suite struct TenantFileEditTests {
  private static let tenantFile = """
    {
        "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f",
        "users": [
            {"id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "userPrincipalName": "alice@contoso.example", "note": 1},
            {"userPrincipalName": "bob@contoso.example"}
        ],
        "assignments": [
            {"policy": "./policies/assigned.json", "groups": ["staff"]},
            {"policy": "policies/other.json", "groups": ["staff"]}
        ]
    }

    """
  private static let single = """
    {
      "id": "T_1",
      "unknown": {"kept":  [1,   2]},
      "@odata.type": "#microsoft.graph.iosManagedAppProtection",
      "pinRequired" : true
    }
    """
  private static let page = """
    {"@odata.context": "https://graph.microsoft.com/beta/$metadata#deviceAppManagement/iosManagedAppProtections",
     "value": [
      {"id": "T_2", "minimumPinLength": 4},
      {"id": "T_3", "minimumPinLength": 4}
    ]}
    """
  private static let list = """
    [
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": true},
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": false}
    ]
    """
  private static let assigned = ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": true}"##

  private let files = TenantFileSet(texts: [
    "tenant.json": Self.tenantFile, "policies/single.json": Self.single, "policies/page.json": Self.page,
    "policies/list.json": Self.list, "policies/assigned.json": Self.assigned, "policies/other.json": Self.assigned,
    "configurations/c.json":
      ##"{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "T_1", "customSettings": []}"##,
  ])

  private func changed(_ edits: TenantFileEdit...) throws -> [String: String] {
    let result = try files.applying(edits)
    _ = try result.read()
    return result.texts.filter { files.texts[$0.key] != $0.value }
  }

  @Test("An edit changes a member in place, adds a new one at the end, and keeps all other bytes")
  func change() throws {
    let changes = [TenantMemberChange("pinRequired", false), TenantMemberChange("minimumPinLength", 6)]
    let end = #""pinRequired" : true"# + "\n}"
    let text = Self.single.replacing(end, with: "\"pinRequired\" : false,\n  \"minimumPinLength\": 6\n}")
    #expect(try changed(.change(.ios, id: "t_1", changes)) == ["policies/single.json": text])
  }

  @Test("An edit of one object in a page or list leaves the other objects unchanged")
  func neighbors() throws {
    let changes = [TenantMemberChange("minimumPinLength", 8)]
    let page = Self.page.replacing(#""T_3", "minimumPinLength": 4"#, with: #""T_3", "minimumPinLength": 8"#)
    #expect(try changed(.change(.ios, id: "T_3", changes)) == ["policies/page.json": page])
    let list = Self.list.replacing(#""pinRequired": false"#, with: #""pinRequired": false, "minimumPinLength": 8"#)
    #expect(try changed(.change(.ios, id: "policies/list#2", changes)) == ["policies/list.json": list])
  }

  @Test(
    "A new object gets its own file, named after its id",
    arguments: [
      ("T_new-1", PolicyList.ios, "policies/T_new-1.json"), ("../evil id", .android, "policies/---evil-id.json"),
      ("Single", .ios, "policies/Single-2.json"), ("A_1", .configurations, "configurations/A_1.json"),
    ])
  func add(id: String, list: PolicyList, file: String) throws {
    let object: JSONObject = [
      "@odata.type": .string(list.type), "id": .string(id), "pinRequired": true, "customSettings": [], "apps": [],
      "assignments": [],
    ]
    #expect(try changed(.add(list, object)) == [file: JSONValue.object(object).indentedText + "\n"])
    #expect(throws: TenantEditFault.taken(id: id)) {
      try files.applying([.add(list, object), .add(list, object)])
    }
  }

  @Test("Removing the last object of a file removes the file and its assignments; others keep their ids")
  func remove() throws {
    let single = try files.applying([.remove(.ios, id: "T_1")])
    #expect(single.texts["policies/single.json"] == nil)
    #expect(single.texts["tenant.json"] == Self.tenantFile)
    #expect(single.texts["configurations/c.json"] != nil)
    let assigned = try files.applying([.remove(.ios, id: "policies/assigned")])
    let left = Self.tenantFile.replacing(
      #"{"policy": "./policies/assigned.json", "groups": ["staff"]},"# + "\n        ", with: "")
    #expect(assigned.texts["policies/assigned.json"] == nil)
    #expect(assigned.texts["tenant.json"] == left)
    let list = try files.applying([.remove(.ios, id: "policies/list")])
    #expect(try list.read().policies.map(\.id).contains("policies/list#2"))
    let page = try files.applying([.remove(.ios, id: "T_2"), .remove(.ios, id: "T_3")])
    #expect(page.texts["policies/page.json"]?.contains("@odata.context") == true)
    #expect(try page.read().policies.map(\.id).contains("T_2") == false)
  }

  @Test("An edit of assignments that tenant.json overrides is refused; other members can be changed")
  func overridden() throws {
    #expect(throws: TenantEditFault.overridden(id: "policies/other", place: "assignments/1")) {
      try files.applying([.change(.ios, id: "policies/other", [TenantMemberChange("assignments", [])])])
    }
    #expect(files.override(of: "policies/other", in: .ios) == "assignments/1")
    #expect(files.override(of: "T_1", in: .ios) == nil)
    let changes = [TenantMemberChange("pinRequired", false)]
    #expect(try changed(.change(.ios, id: "policies/other", changes)).keys.sorted() == ["policies/other.json"])
  }

  @Test("A user is edited in place, keeps unknown members, and is found by name if there is no id")
  func users() throws {
    let alice = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
    let user: JSONObject = ["id": .string(alice), "userPrincipalName": "alice@contoso.example", "licensed": false]
    let text = Self.tenantFile.replacing(#", "note": 1}"#, with: #", "note": 1, "licensed": false}"#)
    #expect(try changed(.setUser(user)) == ["tenant.json": text])
    let new: JSONObject = ["id": "5bde3e51-d13b-4db1-9948-fe4b109d11a7", "userPrincipalName": "c@contoso.example"]
    let added = try files.applying([.setUser(new)]).read()
    #expect(
      added.users.map(\.userPrincipalName) == ["alice@contoso.example", "bob@contoso.example", "c@contoso.example"])
    let bob = try #require(try files.read().users.first { $0.userPrincipalName.hasPrefix("bob") })
    #expect(try files.applying([.removeUser(id: bob.id)]).read().users.count == 1)
    #expect(throws: TenantEditFault.unknown(id: "nobody")) { try files.applying([.removeUser(id: "nobody")]) }
  }

  @Test("An edit of an object whose id occurs twice, or of a policy from a device, is refused")
  func unsuitable() throws {
    var texts = files.texts
    texts["policies/copy.json"] = Self.single
    texts["policies/device.json"] = #"{"IntuneMAMPolicies": {"PolicyID": "D_1"}}"#
    let files = TenantFileSet(texts: texts)
    for id in ["T_1", "policies/device"] {
      #expect {
        try files.applying([.change(.ios, id: id, [TenantMemberChange("pinRequired", false)])])
      } throws: { error in
        if case TenantEditFault.unsuitable = error { true } else { false }
      }
    }
  }
}
