import HTTP
import JSON
import Testing

@testable import TenantService

@Suite("Graph writes: users and groups") struct GraphDirectoryWriteTests {
  typealias Editor = GraphEditorDouble

  func development() throws -> Editor { try Editor { $0.isDevelopment = true } }

  @Test("A user can be created, licensed, disabled and deleted through Graph, and stays marked as deleted")
  func users() async throws {
    let editor = try development()
    let body: JSONValue = [
      "accountEnabled": true, "displayName": "Erin", "mailNickname": "erin",
      "userPrincipalName": "erin@contoso.example",
      "passwordProfile": ["password": "secret"],
    ]
    let made = try await editor.send("POST", "/v1.0/users", body)
    #expect(made.status == 201, "\(made.text)")
    #expect(!made.text.contains("secret"), "\(made.text)")
    let id = try #require(made.value["id"]?.stringValue)
    #expect(made.value["assignedPlans"] == [])
    #expect(id.isGUID)
    #expect(editor.state.withLock { !$0.files.texts.description.contains("secret") })
    let again = try await editor.send("POST", "/v1.0/users", body)
    #expect(again.status == 400)
    #expect(again.message.contains("already exists"))
    let license: JSONValue = ["addLicenses": [["skuId": "x"]], "removeLicenses": []]
    let licensed = try await editor.send("POST", "/v1.0/users/\(id)/assignLicense", license)
    #expect(licensed.status == 200)
    #expect(licensed.value["assignedPlans"]?.arrayValue?.count == 1)
    #expect(editor.tenant?.user(id)?.isLicensed == true)
    #expect(try await editor.send("PATCH", "/v1.0/users/erin@contoso.example", ["accountEnabled": false]).status == 204)
    #expect(editor.tenant?.user(id)?.isEnabled == false)
    #expect(editor.tenant?.user(id)?.displayName == "Erin")
    #expect(try await editor.send("DELETE", "/v1.0/users/\(id)").status == 204)
    #expect(try await editor.send("GET", "/v1.0/users/\(id)").status == 404)
    // Hosts must learn that the account is gone: a user who is merely missing is not known to be.
    #expect(editor.tenant?.snapshot.users.first { $0.id == id }?.isDeleted == true)
  }

  @Test("A PATCH of a user keeps the members that it does not name")
  func unchanged() async throws {
    let editor = try development()
    #expect(try await editor.send("PATCH", "/v1.0/users/\(GraphWorld.alice)", ["displayName": "A"]).status == 204)
    let alice = try #require(editor.tenant?.user(GraphWorld.alice))
    #expect(alice.displayName == "A")
    #expect(alice.groups == ["staff"])
    #expect(alice.clock?.status == .clockedIn)
  }

  @Test("Users join and leave groups through Graph")
  func groups() async throws {
    let editor = try development()
    let made = try await editor.send("POST", "/beta/groups", ["displayName": "Pilot", "mailEnabled": false])
    #expect(made.status == 201)
    let group = try #require(made.value["id"]?.stringValue)
    let link: JSONValue = ["@odata.id": .string("https://tenant.example/v1.0/directoryObjects/\(GraphWorld.alice)")]
    #expect(try await editor.send("POST", "/v1.0/groups/\(group)/members/$ref", link).status == 204)
    #expect(try await editor.send("POST", "/v1.0/groups/\(group)/members/$ref", link).status == 400)
    #expect(try await editor.send("GET", "/v1.0/groups/\(group)/members").ids == [GraphWorld.alice])
    let member = "/v1.0/groups/\(group)/members/\(GraphWorld.alice)/$ref"
    #expect(try await editor.send("DELETE", member).status == 204)
    #expect(try await editor.send("DELETE", member).status == 404)
    #expect(editor.tenant?.user(GraphWorld.alice)?.groups == ["staff"])
  }

  @Test(
    "A malformed write to users or groups is refused, and the error names the member",
    arguments: [
      ("POST", "users", ["displayName": "x"], "userPrincipalName"),
      ("POST", "users", ["userPrincipalName": "x"], "displayName"),
      ("POST", "users", ["acountEnabled": true], "Did you mean 'accountEnabled'?"),
      ("PATCH", "users/\(GraphWorld.alice)", ["accountEnabled": "no"], "accountEnabled"),
      ("PATCH", "users/\(GraphWorld.alice)", ["userPrincipalName": "bob@contoso.example"], "no other user"),
      ("POST", "users/\(GraphWorld.alice)/assignLicense", ["addLicenses": []], "removeLicenses"),
      ("POST", "users/\(GraphWorld.alice)/assignLicense", ["addLicenses": [], "removeLicenses": []], "must be empty"),
      ("POST", "groups", ["displayName": "*"], "displayName"), ("POST", "groups", [:], "displayName"),
      ("POST", "groups/x/members/$ref", [:], "@odata.id"),
      ("POST", "groups/x/members/$ref", ["@odata.id": "x/none"], "no user"),
    ] as [(String, String, JSONValue, String)])
  func refusals(_ method: String, _ path: String, _ body: JSONValue, _ text: String) async throws {
    let response = try await development().send(method, "/v1.0/\(path)", body)
    #expect([400, 404].contains(response.status), "\(response.text)")
    #expect(response.message.contains(text), "\(response.text)")
  }

  @Test("Users and groups can be changed only in a development tenant")
  func service() async throws {
    let editor = try Editor()
    let before = editor.state.withLock(\.files)
    for (method, path) in [("POST", "users"), ("DELETE", "users/\(GraphWorld.alice)"), ("POST", "groups")] {
      let response = try await editor.send(method, "/v1.0/\(path)", ["displayName": "x"])
      #expect(response.status == 400, "\(response.text)")
    }
    #expect(editor.state.withLock(\.files) == before)
  }
}
