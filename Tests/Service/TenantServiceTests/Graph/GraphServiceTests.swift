import Database
import HTTP
import JSON
import Support
import Tenancy
import Testing

@testable import TenantService

@Suite("Microsoft Graph paths") struct GraphServiceTests {
  typealias World = GraphWorld
  static let management = "/v1.0/deviceAppManagement"

  struct Case: Sendable, CustomTestStringConvertible {
    let request: String
    let status: Int
    /// Pieces of the body.
    var has: [String] = []
    var testDescription: String { "\(request) \(status)" }

    init(_ request: String, _ status: Int, _ has: String...) {
      (self.request, self.status, self.has) = (request, status, has)
    }
  }

  static let cases: [Case] = [
    Case(
      "GET \(management)/iosManagedAppProtections", 200, "#microsoft.graph.iosManagedAppProtection",
      "\"pinRequired\":true"),
    Case("GET \(management)/androidManagedAppProtections", 200, "screenCaptureBlocked"),
    Case("GET \(management)/defaultManagedAppProtections", 200, "G_4a9c0f4d"),
    Case("GET \(management)/targetedManagedAppConfigurations", 200, "customSettings", "\"isAssigned\":true"),
    Case("GET \(management)/managedAppPolicies", 200, "iosManagedAppProtection", "targetedManagedAppConfiguration"),
    Case("GET \(management)/windowsManagedAppProtections", 400, "beta only"),
    Case("GET /beta/deviceAppManagement/windowsManagedAppProtections", 200, "\"value\":[]"),
    Case("GET \(management)/iosManagedAppProtections/\(World.policyT1)", 200, "$entity"),
    Case("GET \(management)/iosManagedAppProtections('\(World.policyT1)')", 200, "$entity"),
    Case("GET \(management)/managedAppPolicies/\(World.policyT1)", 200, "iosManagedAppProtection"),
    Case("GET \(management)/androidManagedAppProtections/\(World.policyT1)", 404, "ResourceNotFound"),
    Case("GET \(management)/iosManagedAppProtections/\(World.policyT1)/apps", 200, "\"value\":[]"),
    Case(
      "GET \(management)/iosManagedAppProtections/\(World.policyT1)/assignments", 200, "groupAssignmentTarget", "staff"),
    Case(
      "GET \(management)/iosManagedAppProtections?$expand=apps,assignments", 200, "\"apps\":[]", "\"groupId\":\"staff\""
    ),
    Case(
      "GET \(management)/defaultManagedAppProtections?$expand=assignments", 400, "only apps and deploymentSummary can"),
    Case("GET \(management)/iosManagedAppProtections?$orderby=id", 200, World.policyT1),
    Case("GET \(management)/iosManagedAppProtections?$search=x", 400, "not supported"),
    Case("GET \(management)/iosManagedAppProtections?%24top=1", 200, World.policyT1),
    Case("GET \(management)/iosManagedAppProtections?$top=0", 400, "$top must be a number"),
    Case("GET \(management)/iosManagedAppProtections?$top=1&$top=2", 400, "given twice"),
    Case("GET \(management)/iosManagedAppProtections?$count=true", 200, "\"@odata.count\":1"),
    Case("GET \(management)/iosManagedAppProtections?$select=displayName", 200, "Contoso data protection for iOS"),
    Case("GET \(management)/iosManagedAppProtections?$skiptoken=!", 400, "Start again"),
    Case("GET \(management)/managedAppPolicies?$filter=displayName%20eq%20'Mail'", 200, "A_2d7c1b90"),
    Case("GET \(management)/managedAppPolicies?$filter=displayName%20ne%20'Mail'", 200, World.policyT1),
    Case("GET \(management)/managedAppPolicies?$filter=startswith(displayName,'M')", 200, "A_2d7c1b90"),
    Case(
      "GET \(management)/managedAppPolicies?$filter=pinRequired%20eq%20true%20and%20minimumPinLength%20eq%204", 200,
      "T_1f3ac5b2"),
    Case(
      "GET \(management)/managedAppPolicies?$filter=displayName%20eq%20'a'%20or%20id%20eq%20'b'", 200, "\"value\":[]"),
    Case("GET /v1.0/users", 200, "alice@contoso.example", "\"service\":\"SCO\""),
    Case("GET /v1.0/users/alice@contoso.example", 200, World.alice),
    Case("GET /v1.0/users/\(World.alice)?$select=mail", 200, "alice.adams@contoso.example"),
    Case("GET /v1.0/users/nobody@contoso.example", 404, "ResourceNotFound"),
    Case("GET /v1.0/users/graph.alice@contoso.example", 404, "ResourceNotFound"),
    Case("GET /v1.0/users/alice@contoso.example()", 404, "ResourceNotFound"),
    Case("GET /v1.0/users('graph.alice@contoso.example')", 404, "ResourceNotFound"),
    Case("GET /v1.0/users?$filter=accountEnabled%20eq%20false", 200, "dave@contoso.example"),
    Case("GET /v1.0/users/\(World.alice)/transitiveMemberOf", 200, "#microsoft.graph.group", "staff"),
    Case("GET /v1.0/users/\(World.alice)/transitiveMemberOf/microsoft.graph.group?$select=id", 200, "staff"),
    Case("GET /v1.0/users/\(World.alice)/transitiveMemberOf/graph.group", 200, "staff"),
    Case("GET /v1.0/me", 200, World.alice),
    Case("GET /v1.0/me/transitiveMemberOf", 200, "staff"),
    Case("GET /v1.0/users?$select=displayname", 400, "no property displayname of user", "Did you mean displayName?"),
    Case("GET /v1.0/users?$filter=acountEnabled%20eq%20true", 400, "$filter", "Did you mean accountEnabled?"),
    Case("GET /v1.0/users/\(World.alice)?$select=maul", 400, "Did you mean mail?"),
    Case("GET /v1.0/users?$orderby=nothing", 400, "$orderby: there is no property nothing"),
    Case("GET /v1.0/users?$selct=id", 400, "Did you mean $select?"),
    Case("GET /v1.0/groups?$select=nothingLikeIt", 400, "no property nothingLikeIt of group here."),
    Case("GET \(management)/iosManagedAppProtections?$select=pinRequird", 400, "Did you mean pinRequired?"),
    Case("GET \(management)/iosManagedAppProtections?$select=createdDateTime,pinRequired", 200, "pinRequired"),
    Case("GET \(management)/iosManagedAppProtections?$select=screenCaptureBlocked", 400, "no property"),
    Case("GET \(management)/managedAppPolicies?$select=screenCaptureBlocked", 200, "screenCaptureBlocked"),
    Case("GET \(management)/managedAppPolicies?$filter=nothing%20eq%201", 400, "nothing of managedAppPolicy"),
    Case("GET \(management)/managedAppRegistrations?$filter=devicetag%20eq%20'x'", 200, "\"value\":[]"),
    Case("GET \(management)/managedAppRegistrations?$filter=devicetags%20eq%20'x'", 400, "Did you mean deviceTag?"),
    Case("GET \(management)/managedAppRegistrations?$orderby=id", 400, "$orderby is not supported"),
    Case("GET \(management)/managedAppRegistrations?$select=deviceModel", 400, "no property deviceModel"),
    Case("GET /beta/deviceAppManagement/managedAppRegistrations?$select=deviceModel", 200, "deviceModel"),
    Case("GET \(management)/managedAppRegistrations/$count?$filter=nothing%20eq%201", 400, "no property nothing"),
    Case("GET \(management)/managedAppRegistrations?$expand=operations", 200, "\"operations\":[]"),
    Case("GET \(management)/managedAppRegistrations/\(World.id(0))?$expand=operations", 200, "\"operations\":[]"),
    Case(
      "GET \(management)/managedAppRegistrations?$expand=policies", 400,
      "only appliedPolicies and intendedPolicies and operations can"),
    Case("GET \(management)/managedAppRegistrations?includeEnded=yes", 400, "includeEnded must be true or false"),
    Case("GET \(management)/managedAppRegistrations?includeEditions=1", 400, "includeEditions must be true or false"),
    Case("GET /v1.0/groups", 200, "guests", "staff"),
    Case("GET /v1.0/groups/staff", 200, "\"displayName\":\"staff\""),
    Case("GET /v1.0/groups/staff/members", 200, World.alice, "carol"),
    Case("GET /v1.0/groups/staff/transitiveMembers/microsoft.graph.user?$select=id&$top=999", 200, World.alice),
    Case("GET /v1.0/groups/none", 404, "ResourceNotFound"),
    Case("GET /v1.0/organization", 200, "6babcaad-604b-40ac-a9d7-9fd97c0b779f"),
    Case(
      "GET \(management)/managedAppRegistrations", 200, "iosManagedAppRegistration", "androidManagedAppRegistration",
      "packageId"),
    Case("GET \(management)/managedAppRegistrations?$count=true&$top=1", 200, "\"@odata.count\":3", "nextLink"),
    Case("GET \(management)/managedAppRegistrations?$filter=userId%20eq%20'\(World.leaver)'", 200, World.id(2)),
    Case("GET \(management)/managedAppRegistrations?$filter=deviceTag%20eq%20'tag2'&$count=true", 400, "$count cannot"),
    Case("GET \(management)/managedAppRegistrations/\(World.id(0))", 200, "tag1", "bundleId"),
    Case("GET \(management)/managedAppRegistrations/\(World.id(9))", 404, "ResourceNotFound"),
    Case("GET \(management)/managedAppRegistrations/x", 404, "ResourceNotFound"),
    Case(
      "GET \(management)/managedAppRegistrations/\(World.id(0))/appliedPolicies", 200, "Contoso data protection",
      "T_gone"),
    Case(
      "GET \(management)/managedAppRegistrations/\(World.id(0))/intendedPolicies", 200, World.policyT1, "A_2d7c1b90"),
    Case("GET \(management)/managedAppRegistrations/\(World.id(2))/intendedPolicies", 200, "\"value\":[]"),
    Case("GET \(management)/managedAppRegistrations/\(World.id(0))/operations", 200, "\"value\":[]"),
    Case(
      "GET \(management)/managedAppRegistrations/getUserIdsWithFlaggedAppRegistration()", 200, "Collection(Edm.String)",
      World.alice),
    Case(
      "GET \(management)/managedAppRegistrations/microsoft.graph.getUserIdsWithFlaggedAppRegistration()", 200,
      World.alice),
    Case("GET /v1.0/users/alice@contoso.example/managedAppRegistrations", 200, World.id(1)),
    Case("GET /v1.0/users/\(World.leaver)/managedAppRegistrations", 200, World.id(2)),
    Case("GET /v1.0/me/managedAppRegistrations", 200, World.id(0)),
    Case(
      "GET \(management)/managedAppStatuses('userstatus')?userId=\(World.alice)", 200, "IntuneLicensed",
      "com.contoso.app0"),
    Case("GET \(management)/managedAppStatuses('userstatus')", 400, "userId is missing"),
    Case("GET /v1.0/users/\(World.alice)/getManagedAppPolicies()", 200, World.policyT1, "A_2d7c1b90"),
    Case("GET /v1.0/users/\(World.alice)/getManagedAppPolicies?$top=1&$select=id", 200, "nextLink"),
    Case("GET /v1.0/users/dave@contoso.example/microsoft.graph.getManagedAppPolicies()", 200, "\"value\":[]"),
    Case("GET /v1.0/users/\(World.leaver)/getManagedAppPolicies", 200, "\"value\":[]"),
    Case("GET /v1.0/users/nobody/getManagedAppPolicies", 404, "no user"),
    Case("GET /v1.0/me/getManagedAppPolicies", 200, World.policyT1),
    Case("GET /v1.0/users/nobody/getManagedAppDiagnosticStatuses", 404, "no user"),
    Case("GET /v1.0/me/getManagedAppDiagnosticStatuses?$select=state", 200, "\"state\":\"passed\""),
    Case("GET /v1.0/me/getManagedAppDiagnosticStatuses?$top=1", 400, "$top is not supported"),
    Case("POST /v1.0/users/\(World.alice)/getManagedAppDiagnosticStatuses", 405, "MethodNotAllowed"),
    Case("GET \(management)/managedAppStatuses('other')", 404, "only userstatus and appregistrationsummary"),
    Case("GET /beta\(management.dropFirst(5))/managedAppRegistrations", 200, "deviceModel"),
    Case("PATCH \(management)/iosManagedAppProtections/\(World.policyT1)", 405, "MethodNotAllowed"),
    Case("POST \(management)/iosManagedAppProtections", 405, "read-only"),
    Case("DELETE /v1.0/users/\(World.alice)", 405, "read-only"),
    Case("GET /v1.0/users/\(World.alice)/wipeManagedAppRegistrationsByDeviceTag", 405, "MethodNotAllowed"),
    Case("GET /v1.0/nothing", 404, "There is no resource"),
    Case("GET /v1.0", 404, "There is no resource"),
  ]

  @Test("Each supported Graph path answers with its status and body, and other paths with an error", arguments: cases)
  func answers(_ entry: Case) async throws {
    let parts = entry.request.split(separator: " ", maxSplits: 1).map(String.init)
    let response = try await World().send(parts[0], parts[1], headers: ["client-request-id": "client-1"])
    let body = String(decoding: response.body, as: UTF8.self)
    #expect(response.status == entry.status, "\(body)")
    for piece in entry.has { #expect(body.contains(piece), "\(body)") }
    if response.status >= 400 {
      let inner = response.value["error"]?["innerError"]
      #expect(inner?["request-id"] == "request-1")
      #expect(inner?["client-request-id"] == "client-1")
      #expect(inner?["date"]?.stringValue?.isEmpty == false)
    }
  }

  @Test("Paged lists show each element once, and their links use only the public URL", arguments: [1, 2, 3, 7])
  func pages(_ size: Int) async throws {
    let world = World(registrations: 7)
    for list in ["/v1.0/users", "\(Self.management)/managedAppPolicies", "\(Self.management)/managedAppRegistrations"] {
      var ids: [String] = []
      var next: String? = "\(list)?$top=\(size)&$select=id"
      while let url = next {
        let response = try await world.send("GET", url, headers: ["Host": "evil.example"])
        #expect(response.ids.count <= size)
        ids += response.ids
        let link = response.value["@odata.nextLink"]?.stringValue
        #expect(link?.hasPrefix("https://tenant.example/v1.0/") ?? true)
        next = link.map { String($0.dropFirst("https://tenant.example".count)) }
      }
      #expect(ids == ids.sorted())
      #expect(Set(ids).count == ids.count)
      #expect(ids.count == (list.hasSuffix("Registrations") ? 7 : list.hasSuffix("users") ? 4 : 5))
    }
  }

  @Test(
    "$count returns the number of elements of a list",
    arguments: [
      ("/v1.0/users/$count", 200, "4"), ("/v1.0/users/%24count", 200, "4"), ("/v1.0/groups/$count", 200, "2"),
      ("/v1.0/groups/staff/members/$count", 200, "3"), ("/v1.0/me/transitiveMemberOf/graph.group/$count", 200, "1"),
      ("/v1.0/users/$count?$filter=accountEnabled%20eq%20false", 200, "1"),
      ("\(management)/managedAppPolicies/$count", 200, "5"),
      ("\(management)/managedAppRegistrations/$count", 200, "3"),
      ("/v1.0/users/\(World.leaver)/managedAppRegistrations/$count", 200, "1"),
      ("/v1.0/users/\(World.leaver)/getManagedAppPolicies()/$count", 200, "0"),
      ("\(management)/iosManagedAppProtections/\(World.policyT1)/assignments/$count", 200, "1"),
      ("/v1.0/users/$count?$top=1", 400, "$top is not supported"),
      ("\(management)/managedAppRegistrations/$count?$filter=deviceTag%20eq%20'tag2'", 400, "$count cannot"),
      ("/v1.0/me/$count", 404, "only a list"), ("/v1.0/$count", 404, "There is no resource"),
      ("/v1.0/users/$count/$count", 404, "ResourceNotFound"),
      ("/v1.0/users/\(World.alice)/wipeManagedAppRegistrationsByDeviceTag/$count", 404, "There is no resource"),
    ])
  func counts(_ url: String, _ status: Int, _ text: String) async throws {
    let response = try await World().send("GET", url)
    let body = String(decoding: response.body, as: UTF8.self)
    #expect(response.status == status, "\(body)")
    #expect(status == 200 ? body == text : body.contains(text), "\(body)")
    #expect(status != 200 || response.headers["Content-Type"] == "text/plain")
  }

  @Test("$count after a wipe action answers 405 and orders no wipe")
  func countOfAction() async throws {
    let world = World()
    let url = "/v1.0/users/\(World.alice)/wipeManagedAppRegistrationsByDeviceTag/$count"
    #expect(try await world.send("POST", url, body: #"{"deviceTag":"tag1"}"#).status == 405)
    #expect(world.state.withLock(\.orders) == [])
  }

  @Test("getManagedAppDiagnosticStatuses says why an app of a user is not protected")
  func diagnosis() async throws {
    let world = World()
    world.state.withLock { state in
      state.registrations[0].applied = []
    }
    let rows: [(user: String, states: [String], text: String)] = [
      (World.alice, ["passed", "passed", "passed", "passed", "passed", "failed", "failed"], "com.contoso.app0"),
      (
        World.bob, ["passed", "passed", "passed", "failed", "failed", "notApplicable", "notApplicable"],
        "Assign a policy"
      ),
      (
        "carol@contoso.example",
        ["passed", "passed", "failed", "notApplicable", "failed", "notApplicable", "notApplicable"], "no license"
      ),
      (
        "dave@contoso.example",
        ["passed", "failed", "passed", "notApplicable", "failed", "notApplicable", "notApplicable"], "disabled"
      ),
      (
        World.leaver, ["failed", "notApplicable", "notApplicable", "notApplicable", "passed", "passed", "passed"],
        "does not list"
      ),
    ]
    for row in rows {
      let response = try await world.send("GET", "/v1.0/users/\(row.user)/getManagedAppDiagnosticStatuses()")
      let values = response.value["value"]?.arrayValue ?? []
      #expect(values.map { $0["state"]?.stringValue } == row.states, "\(row.user)")
      #expect(values.allSatisfy { ($0["state"] == "failed") != ($0["mitigationInstruction"] == "") })
      #expect(String(decoding: response.body, as: UTF8.self).contains(row.text))
    }
  }

  @Test("A page of registrations with operations takes two queries, with or without ended registrations")
  func expanded() async throws {
    let world = World(registrations: 600)
    let ended = world.clock.now
    world.state.withLock { state in
      for index in state.registrations.indices {
        let id = state.registrations[index].id
        state.operations[id] = [GraphOperation(id: "op-\(id)", kind: "wipe", state: "completed", changed: ended)]
      }
      (state.registrations[0].ended, state.registrations[0].endReason) = (ended, "left")
      state.registrations[1].ended = ended.advanced(by: -31 * CivilDate.millisecondsPerDay)
    }
    let path = "\(Self.management)/managedAppRegistrations?$expand=operations&$top=999"
    let plain = try await world.send("GET", path)
    #expect(plain.ids.count == 598)
    #expect(plain.value["value"]?.arrayValue?.first?["endedDateTime"] == nil)
    #expect(world.state.withLock(\.queries) == 2)
    let whole = try await world.send("GET", path + "&includeEnded=true")
    #expect(whole.ids.count == 599)
    #expect(world.state.withLock(\.queries) == 4)
    let first = whole.value["value"]?.arrayValue?.first
    #expect(first?["id"]?.stringValue == World.id(0))
    #expect(first?["endReason"] == "left")
    #expect(first?["operations"]?.arrayValue?.first?["state"] == "completed")
  }

  @Test("Registrations include their edition only with includeEditions=true") func editions() async throws {
    let world = World(registrations: 2)
    world.state.withLock { $0.registrations[0].edition = 7 }
    let path = "\(Self.management)/managedAppRegistrations"
    let plain = try await world.send("GET", path)
    #expect(plain.value["value"]?.arrayValue?.first?["edition"] == nil)
    let asked = try await world.send("GET", path + "?includeEditions=true")
    #expect(asked.value["value"]?.arrayValue?.map { $0["edition"] } == [7, .null])
  }

  @Test("A filter that the store cannot apply still returns full pages of registrations") func filteredPages()
    async throws
  {
    let world = World(registrations: 7)
    let url = "\(Self.management)/managedAppRegistrations?$filter=deviceType%20eq%20'iOS'&$top=4&$skip=1"
    let first = try await world.send("GET", url)
    #expect(first.ids == [2, 3, 4, 5].map(World.id))
    let link = try #require(first.value["@odata.nextLink"]?.stringValue)
    let second = try await world.send("GET", String(link.dropFirst("https://tenant.example".count)))
    #expect(second.ids == [World.id(6)])
    #expect(second.value["@odata.nextLink"] == nil)
  }

  @Test("$skip skips the requested number of registrations, even more than one page examines")
  func longSkip() async throws {
    let world = World(registrations: 20_060)
    var url: String? = "\(Self.management)/managedAppRegistrations?$top=5&$skip=20050&$select=id"
    var pages: [[String]] = []
    while let next = url, pages.joined().isEmpty {
      let response = try await world.send("GET", next)
      pages.append(response.ids)
      url = response.value["@odata.nextLink"]?.stringValue.map { String($0.dropFirst("https://tenant.example".count)) }
    }
    #expect(pages == [[], (20_050..<20_055).map(World.id)])
  }

  @Test("Graph refuses administrators of another tenant") func otherTenant() async throws {
    let world = World()
    for (tenant, status) in [("6BABCAAD-604b-40ac-a9d7-9fd97c0b779f", 200), (World.leaver, 403)] {
      let caller = World.caller(tenant: tenant)
      #expect(try await world.send("GET", "/v1.0/users", caller: caller).status == status)
    }
  }

  @Test("Graph admits only administrators, and reading and wiping need different rights")
  func administrators() async throws {
    let world = World()
    let wipe = "/v1.0/users/\(World.alice)/wipeManagedAppRegistrationsByDeviceTag"
    let anonymous = try await world.send("GET", "/v1.0/users", caller: nil)
    #expect(anonymous.status == 401)
    #expect(anonymous.headers.all("WWW-Authenticate") == ["Bearer"])
    #expect(anonymous.value["error"]?["code"] == "InvalidAuthenticationToken")
    let reader = World.caller([GraphAdministrators.readRole])
    #expect(try await world.send("GET", "/v1.0/users", caller: reader).status == 200)
    let refused = try await world.send("POST", wipe, body: #"{"deviceTag":"tag1"}"#, caller: reader)
    #expect(refused.status == 403)
    #expect(String(decoding: refused.body, as: UTF8.self).contains("DeviceManagementApps.ReadWrite.All"))
    for caller in [World.caller([]), World.caller([], scopes: [GraphAdministrators.writeRole])] {
      #expect(try await world.send("GET", "/v1.0/users", caller: caller).status == 403)
      #expect(try await world.send("DELETE", "/v1.0/users", caller: caller).status == 403)
    }
    let service = try world.service {
      $0.administrators = try GraphAdministrators(roles: ["read=Reader", "wipe=Wiper"], scopes: ["admin"])
    }
    let outcomes = [("Reader", 200, 403), ("Wiper", 200, 204), (GraphAdministrators.writeRole, 403, 403)]
    for (role, read, write) in outcomes {
      let caller = World.caller([role])
      #expect(try await world.send("GET", "/v1.0/users", caller: caller, to: service).status == read)
      let body = #"{"deviceTag":"tag1"}"#
      #expect(try await world.send("POST", wipe, body: body, caller: caller, to: service).status == write)
    }
    let scoped = World.caller([], scopes: ["admin"])
    #expect(try await world.send("GET", "/v1.0/users", caller: scoped, to: service).status == 200)
  }

  @Test(
    "A refused Graph call names the role or scope to grant",
    arguments: [
      ([], [], "wipe. Assign the role DeviceManagementApps.ReadWrite.All."),
      (["read=Helpdesk"], [], "The service lets nobody wipe; see mambridge-tenant serve --admin-role."),
      (["wipe=A", "B"], ["s"], "wipe. Assign the role A, the role B or the scope s."),
    ] as [([String], [String], String)])
  func refusal(_ roles: [String], _ scopes: [String], _ text: String) throws {
    let refusal = try GraphAdministrators(roles: roles, scopes: scopes).refusal(.wipe)
    #expect(refusal.message.contains(text), "\(refusal.message)")
  }

  @Test("An administrator role with an unknown right is refused", arguments: ["reed=X", "=X", "read=", "Wipe=X"])
  func unknownRight(_ text: String) throws {
    #expect(throws: UnknownRight(text: text)) { try GraphAdministrators(roles: [text]) }
    #expect(throws: UnknownRight(text: text)) { try GraphAdministrators(scopes: [text]) }
    #expect(try GraphAdministrators(roles: ["wipe=\(text)"]).permits(.wipe, World.caller([text])))
  }

  @Test("A wipe by device tag is ordered for the user's registrations, even if the user has left")
  func wipe() async throws {
    let world = World()
    let rows: [(String, String, Int, String)] = [
      ("alice@contoso.example", #"{"deviceTag":"tag1"}"#, 204, ""), (World.leaver, #"{"deviceTag":"tag2"}"#, 204, ""),
      (World.alice, #"{"deviceTag":"tag2"}"#, 400, "no registration with this device tag"),
      (World.alice, #"{"deviceTag":""}"#, 400, "1 to 200"),
      (World.alice, #"{"tag":"tag1"}"#, 400, "unknown member, tag"),
      (World.alice, "[]", 400, "must be a JSON object"), (World.alice, "", 400, "must be a JSON object"),
      (World.bob + "x", #"{"deviceTag":"tag1"}"#, 404, "no user"),
      ("00000000-0000-4000-8000-00000000beef", #"{"deviceTag":"tag1"}"#, 404, "no user"),
    ]
    for (user, body, status, text) in rows {
      let url = "/v1.0/users/\(user)/wipeManagedAppRegistrationsByDeviceTag"
      let response = try await world.send("POST", url, body: body)
      #expect(response.status == status)
      #expect(String(decoding: response.body, as: UTF8.self).contains(text))
    }
    let operations = try await world.send("GET", "\(Self.management)/managedAppRegistrations/\(World.id(1))/operations")
    #expect(operations.value["value"]?.arrayValue?.map { $0["state"] } == ["pending"])
    let tenant = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
    #expect(world.state.withLock(\.orders).first == "\(World.alice) \(tenant) \(World.alice) tag1 2")
  }

  @Test("Graph answers 503 while the store is unavailable or there is no tenant") func away() async throws {
    let world = World()
    world.state.withLock { $0.isAway = true }
    let response = try await world.send("GET", "\(Self.management)/managedAppRegistrations")
    #expect(response.status == 503)
    #expect(response.headers["Retry-After"] == "5")
    #expect(world.state.withLock { $0.failures.map(\.reason) } == [.unavailable])
    let empty = GraphService(
      .init(publicURL: "https://tenant.example"), store: world, tenant: { nil }, clock: world.clock)
    #expect(try await world.send("GET", "/v1.0/users", to: empty).status == 503)
  }

  @Test("Graph answers 304 if the client already has the current answer") func entityTags() async throws {
    let world = World()
    let first = try await world.send("GET", "/v1.0/users")
    let tag = try #require(first.headers["ETag"])
    let again = try await world.send("GET", "/v1.0/users", headers: ["If-None-Match": "\"other\", \(tag)"])
    #expect(again.status == 304)
    #expect(again.body.isEmpty)
    #expect(again.headers["ETag"] == tag)
    #expect(try await world.send("GET", "/v1.0/groups", headers: ["If-None-Match": tag]).status == 200)
  }
}
