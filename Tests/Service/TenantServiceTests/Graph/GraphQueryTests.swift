import JSON
import Model
import Testing

@testable import TenantService

@Suite("Graph queries and lookups") struct GraphQueryTests {
  typealias Editor = GraphEditorDouble

  @Test(
    "$filter finds exactly the users that match",
    arguments: [
      ("userPrincipalName eq 'ALICE@contoso.example'", ["alice"]),
      ("USERPRINCIPALNAME eq 'alice@contoso.example'", ["alice"]),
      ("startswith(userPrincipalName, 'al')", ["alice"]), ("startsWith(userPrincipalName,'B')", ["bob"]),
      ("contains(userPrincipalName,'contoso')", ["alice", "bob"]),
      ("endswith(userPrincipalName,'.example')", ["alice", "bob"]),
      ("not startswith(userPrincipalName,'a')", ["bob"]), ("userPrincipalName ne 'alice@contoso.example'", ["bob"]),
      ("userPrincipalName in ('bob@contoso.example', 'x')", ["bob"]),
      ("displayName eq 'Alice' or userPrincipalName eq 'bob@contoso.example'", ["alice", "bob"]),
      ("accountEnabled eq true and (displayName eq 'Alice' or displayName eq 'Nobody')", ["alice"]),
      ("displayName eq 'Alice' or accountEnabled eq true and displayName eq 'Nobody'", ["alice"]),
      ("not (accountEnabled eq true)", []), ("mail eq null", ["alice", "bob"]), ("userPrincipalName gt 'b'", ["bob"]),
      ("userPrincipalName le 'b'", ["alice"]), ("displayName eq 'O''Neill, (x)'", []),
    ] as [(String, [String])])
  func filters(_ filter: String, _ names: [String]) async throws {
    let response = try await Editor().send("GET", "/v1.0/users?$filter=\(filter.percentEncoded)")
    #expect(response.status == 200, "\(response.text)")
    let found = response.value["value"]?.arrayValue?.compactMap { $0["userPrincipalName"]?.stringValue } ?? []
    #expect(found.map { String($0.prefix { $0 != "@" }) }.sorted() == names)
  }

  @Test(
    "An invalid $filter is refused with 400",
    arguments: [
      "displayName", "displayName eq", "eq 'x'", "displayName eq 'x' and", "displayName eq 'x' xor mail eq 'y'",
      "(displayName eq 'x'", "displayName eq 'x')", "displayName in 'x'", "displayName in ('x'",
      "startswith(displayName)",
      "startswith(displayName,5)", "displayName eq 'x", "isof('x')", "nothing eq 1", "startswith(nothing,'a')", "not",
      String(repeating: "(", count: 200) + "a eq 1",
      Array(repeating: "mail eq 'a'", count: 101).joined(separator: " or "),
    ])
  func brokenFilters(_ filter: String) async throws {
    let response = try await Editor().send("GET", "/v1.0/users?$filter=\(filter.percentEncoded)")
    #expect(response.status == 400, "\(response.text)")
    #expect(response.message.contains("$filter"), "\(response.text)")
  }

  @Test("$orderby sorts a list, has each element on one page, and no page is empty", arguments: ["asc", "desc", ""])
  func order(_ direction: String) async throws {
    let editor = try Editor()
    for name in ["b", "a", "c", "a"] { _ = try await editor.create(.ios, ["displayName": .string(name)]) }
    var (names, pages): ([String], Int) = ([], 0)
    var url: String? = "/beta/deviceAppManagement/managedAppPolicies?$orderby=DisplayName%20\(direction)&$top=2"
    while let next = url {
      let page = try await editor.send("GET", next)
      #expect(page.status == 200, "\(page.text)")
      pages += 1
      names += page.value["value"]?.arrayValue?.compactMap { $0["displayName"]?.stringValue?.lowercased() } ?? []
      url = page.value["@odata.nextLink"]?.stringValue.map { String($0.dropFirst("https://tenant.example".count)) }
    }
    #expect(names.count == 10)
    #expect(pages == 5)
    #expect(names == (direction == "desc" ? names.sorted(by: >) : names.sorted()))
    for wrong in ["nothing", "displayName%20up", ""] {
      let url = "/beta/deviceAppManagement/managedAppPolicies?$orderby=\(wrong)"
      #expect(try await editor.send("GET", url).status == 400)
    }
  }

  @Test("$expand accepts names in any case and refuses unknown ones")
  func expansions() async throws {
    let editor = try Editor()
    let url = "/beta/deviceAppManagement/iosManagedAppProtections"
    let filter = "Id%20eq%20'\(Editor.policy)'"
    let found = try await editor.send("GET", "\(url)?$filter=\(filter)&$expand=Apps,assignments,deploymentSummary")
    let policy = try #require(found.value["value"]?.arrayValue?.first)
    #expect(policy["apps"] == [])
    #expect(policy["assignments"] == [])
    #expect(found.ids == [Editor.policy])
    let summary = policy["deploymentSummary"]
    #expect(summary?["configurationDeployedUserCount"] == 0)
    #expect(summary?["displayName"] == policy["displayName"])
    #expect(found.value["@odata.context"]?.stringValue?.hasSuffix("(apps(),assignments(),deploymentSummary())") == true)
    let wrong = try await editor.send("GET", "\(url)?$expand=app")
    #expect(wrong.status == 400)
    #expect(wrong.message.contains("Parsing OData Select and Expand failed"))
    let all = try await editor.send("GET", "/beta/deviceAppManagement/managedAppPolicies?$expand=apps")
    #expect(all.status == 400)
  }

  @Test("The deployment summary of a policy counts the users and apps that have the policy")
  func summary() async throws {
    let editor = try Editor()
    editor.world.state.withLock { state in
      for index in state.registrations.indices {
        state.registrations[index].applied = [.init(id: Editor.policy, version: "1")]
      }
    }
    let url = "/v1.0/deviceAppManagement/iosManagedAppProtections/\(Editor.policy)?$expand=deploymentSummary"
    let summary = try await editor.send("GET", url).value["deploymentSummary"]
    #expect(summary?["configurationDeployedUserCount"] == 2)
    #expect(summary?["configurationDeploymentSummaryPerApp"]?.arrayValue?.count == 3)
  }

  @Test("Registrations show applied policies, intended policies and operations if these are expanded")
  func registrations() async throws {
    let editor = try Editor()
    let expand = "$expand=appliedPolicies,intendedPolicies,operations"
    for url in [
      "/v1.0/deviceAppManagement/managedAppRegistrations/\(GraphWorld.id(0))?\(expand)",
      "/v1.0/users/\(GraphWorld.alice)/managedAppRegistrations?\(expand)",
    ] {
      let response = try await editor.send("GET", url)
      let shown = response.value["value"]?.arrayValue?.first ?? response.value
      #expect(shown["appliedPolicies"]?.arrayValue?.count == 2, "\(response.text)")
      #expect(shown["intendedPolicies"]?.arrayValue?.isEmpty == false)
      #expect(shown["operations"] == [])
    }
  }

  @Test("The summary of registrations has the requested columns and comes in pages")
  func registrationSummary() async throws {
    let editor = try Editor()
    let path = "/beta/deviceAppManagement/managedAppStatuses('appregistrationsummary')?policyMode=0&fetch=2"
    let columns = "&columns=UserId,DisplayName,ApplicationName,DeviceName,LastCheckInDate"
    let first = try await editor.send("GET", path + columns).value["content"]
    #expect(first?["header"]?.arrayValue?.first?["columnName"] == "UserId")
    #expect(
      first?["body"]?.arrayValue?.map { $0["values"]?.arrayValue?.prefix(3) } == [
        [.string(GraphWorld.alice), "Alice", "com.contoso.app0"],
        [.string(GraphWorld.alice), "Alice", "com.contoso.app1"],
      ])
    let token = try #require(first?["skipToken"]?.stringValue)
    let second = try await editor.send("GET", path + columns + "&seek=\(token)").value["content"]
    #expect(second?["body"]?.arrayValue?.count == 1)
    #expect(second?["skipToken"] == "")
    for wrong in ["&columns=UserIds", "&fetch=0"] {
      #expect(try await editor.send("GET", path + wrong).status == 400)
    }
  }

  @Test(
    "Graph answers lookups of scope tags, filters, groups and the organization",
    arguments: [
      ("deviceManagement/roleScopeTags", "\"displayName\":\"Default\""),
      ("deviceManagement/roleScopeTags/0", "\"isBuiltIn\":true"),
      ("deviceManagement/roleScopeTags?$filter=displayName%20eq%20'7'", "\"id\":\"7\""),
      ("deviceManagement/assignmentFilters?$filter=displayName%20eq%20'corporate'", Editor.filter),
      ("deviceManagement/assignmentFilters/\(Editor.filter)?$select=id,displayName", "Corporate"),
      ("deviceAppManagement/mobileAppConfigurations?$expand=assignments&$orderby=displayName", "\"value\":[]"),
      ("groups?$filter=displayname%20eq%20'Staff'", "\"id\":\"staff\""),
      ("groups?$top=999&$select=id,displayName", "guests"),
      ("groups/staff?$select=id,displayName", "staff"), ("organization", "Contoso"),
    ])
  func lookUps(_ path: String, _ text: String) async throws {
    let response = try await Editor().send("GET", "/beta/\(path)")
    #expect(response.status == 200, "\(response.text)")
    #expect(response.text.contains(text), "\(response.text)")
  }

  @Test("$metadata describes every policy type with its members, and v1.0 leaves out what only beta has")
  func metadata() async throws {
    let editor = try Editor()
    let beta = try await editor.send("GET", "/beta/$metadata")
    #expect(beta.status == 200)
    #expect(beta.headers["Content-Type"] == "application/xml")
    for list in PolicyList.allCases {
      #expect(beta.text.contains("<EntityType Name=\"\(list.typeName)\""))
      #expect(
        beta.text.contains("<NavigationProperty Name=\"\(list.rawValue)\" Type=\"Collection(graph.\(list.typeName))\""))
    }
    for piece in [
      "<Property Name=\"pinRequired\" Type=\"Edm.Boolean\"/>", "Type=\"graph.windowsManagedAppDataTransferLevel\"",
      "<EnumType Name=\"appManagementLevel\" IsFlags=\"true\">", "<Member Name=\"alphanumericAndSymbol\"/>",
      "<Property Name=\"appGroupType\"",
    ] { #expect(beta.text.contains(piece), "\(piece)") }
    let first = try await editor.send("GET", "/v1.0/$metadata").text
    #expect(!first.contains("windowsManagedAppProtection\""))
    #expect(!first.contains("appGroupType"))
    // Each type that a member names is there.
    for part in beta.text.split(separator: "graph.").dropFirst() {
      let name = part.prefix { $0.isLetter }
      #expect(beta.text.contains("Name=\"\(name)\""), "\(name)")
    }
  }
}
