import JSON
import Testing

@testable import MAM
@testable import Model
@testable import Policy

/// Users of the same object id with another name, and of the same name with another object id.
@Suite(.timeLimit(.minutes(5))) struct RenamedUserTests {
  let fixture = CoreFixture()

  private func explanation(of name: String, in core: Core) -> String {
    core.state.standing(of: .user(name)).management(isManaged: core.state.policy(of: .user(name)) != nil)
  }

  @Test("A renamed user keeps the policy; status, event, log and explanation contain the former name")
  func renamed() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.account("alice")?.status?.formerIdentity == nil)
    fixture.tenant.writeTenant(users: [.init(name: "alicia", groups: ["staff"])])
    #expect(try core.checkIn() == [101])
    #expect(try core.requiresPIN("alicia"))
    #expect(try core.account("alice") == nil)
    #expect(try core.account("alicia")?.status?.formerIdentity == TenantFolder.upn("alice"))
    let event = try #require(try fixture.events().last { $0.type == "policyRequestWithStatus" })
    #expect(event.body["identity"] == .string(TenantFolder.upn("alicia")))
    #expect(event.body["formerIdentity"] == .string(TenantFolder.upn("alice")))
    #expect(try fixture.warnings("the user was renamed", in: core).count == 1)
    let text = explanation(of: "alice", in: core)
    #expect(text.contains("the user was renamed"))
    #expect(text.contains(TenantFolder.upn("alicia")))
    #expect(explanation(of: "nobody", in: core).contains("not registered"))
    #expect(try core.checkIn() == [101])
    #expect(try fixture.warnings("the user was renamed", in: core).count == 1)
    let other = try fixture.core()
    try other.refresh()
    #expect(explanation(of: "alice", in: other) == text)
  }

  @Test("After a wipe, no event contains the former name of a renamed user")
  func wiped() async throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    fixture.tenant.writeTenant(users: [.init(name: "alicia", groups: ["staff"])])
    _ = try core.checkIn()
    #expect(try await core.wipe("alicia") == 104)
    core.end()
    let texts = try fixture.events().map(\.body.jsonText)
    #expect(!texts.isEmpty)
    #expect(!texts.contains { $0.contains("alice@") || $0.contains("alicia@") })
  }

  @Test("A name shared with a deleted user names the user who is not deleted", arguments: [true, false])
  func shared(isDeletedFirst: Bool) throws {
    let name = TenantFolder.upn("alice")
    let users = ["00000000", "ffffffff"].map { "\($0)-44d7-43e1-9a83-5f2406dee5bd" }
    let (deleted, living) = isDeletedFirst ? (users[0], users[1]) : (users[1], users[0])
    fixture.tenant.folder.write(
      #"""
      {"users": [{"id": "\#(deleted)", "userPrincipalName": "\#(name)", "deleted": true},
                 {"id": "\#(living)", "userPrincipalName": "\#(name)", "groups": ["staff"]}]}
      """#, to: "tenant.json")
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    #expect(try core.account("alice")?.account.accountId == living)
  }

  @Test("A name that changes only in case is not a rename")
  func otherCase() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let tenant = #"{"id": "\#(TenantFolder.id("alice"))", "userPrincipalName": "ALICE@Contoso.example"}"#
    fixture.tenant.folder.write(#"{"users": [\#(tenant)]}"#, to: "tenant.json")
    _ = try core.checkIn()
    #expect(try core.account("alice")?.status?.formerIdentity == nil)
    #expect(try fixture.warnings("the user was renamed", in: core) == [])
  }

  @Test("A new object id under the same name is reported as a recreated user; the account stays managed")
  func recreated() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let other = "11111111-44d7-43e1-9a83-5f2406dee5bd"
    fixture.tenant.folder.write(
      #"{"users": [{"id": "\#(other)", "userPrincipalName": "\#(TenantFolder.upn("alice"))"}]}"#, to: "tenant.json")
    let status = try #require(try core.checkIns.checkIn(nil).first)
    #expect(status.statusCode == .authRequired)
    #expect(status.errorString?.contains("was created again") == true)
    #expect(core.state.accounts.first?.isManaged == true)
    fixture.tenant.writeTenant(users: [.init(name: "bob")])
    #expect(try core.checkIns.checkIn(nil).first?.errorString?.contains("does not list") == true)
  }

  @Test("A user whom the tenant lists without an object id keeps the account, its id and its policy")
  func withoutID() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let id = try #require(try core.account("alice")?.account.accountId)
    fixture.tenant.folder.write(
      #"""
      {"users": [{"userPrincipalName": "\#(TenantFolder.upn("alice"))", "groups": ["staff"]},
                 {"userPrincipalName": "\#(TenantFolder.upn("bob"))"}],
       "allowedAccounts": ["\#(TenantFolder.upn("alice"))"]}
      """#, to: "tenant.json")
    _ = try core.enroll("bob")
    #expect(try core.requiresPIN("alice"))
    #expect(try core.checkIn("alice") == [101])
    #expect(try core.requiresPIN("alice"))
    #expect(try core.account("alice")?.account.accountId == id)
  }
}
