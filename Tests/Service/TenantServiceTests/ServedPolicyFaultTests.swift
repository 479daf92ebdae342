import JSON
import Tenancy
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct ServedPolicyFaultTests {
  private static let wipe: JSONValue = [
    "type": "wipe", "app": "*", "user": "alice@contoso.example", "requestedDateTime": "2027-01-01T00:00:00Z",
  ]

  @Test(
    "A policy that says nothing keeps the last good policies, while users and wipes still apply",
    arguments: ["{", "{}", #"{"pinRequired": false}"#])
  func policyStays(text: String) async throws {
    let fixture = try await Fixture()
    let good = await fixture.host.checkIn().body["policies"]
    fixture.folder.write(text, to: "tenant/policies/ios.json")
    await fixture.load()
    #expect(await fixture.host.checkIn().body["policies"] == good)
    await fixture.write(Fixture.tenant(operations: [Self.wipe], alice: ["displayName": "Alice A."]))
    let answer = await fixture.host.checkIn()
    #expect(answer.operations.count == 1)
    #expect(answer.body["user"]?["displayName"] == "Alice A.")
    #expect(answer.body["policies"] == good)
    await fixture.write(Fixture.tenant(operations: [Self.wipe], alice: ["accountEnabled": false]))
    #expect(await fixture.host.checkIn().outcome == "userDisabled")
    let ready = await fixture.send("GET", "/health/ready")
    #expect(ready.status == 200)
    #expect(ready.body["isCurrent"] == false)
    #expect(fixture.service.metricsText.contains("mambridge_tenant_problem 1\n"))
    let told = fixture.lines.withLock { $0.filter { $0.hasPrefix("cannot use") && $0.contains("policies/ios.json: ") } }
    #expect(told.count == 1, "\(told)")
    #expect(told.first?.contains("The last good policies are served") == true, "\(told)")
  }

  @Test("While policies cannot be read, changed assignments in tenant.json do not apply either")
  func assignments() async throws {
    let fixture = try await Fixture(limit: RemovalLimit(percent: 100))
    fixture.folder.write("{", to: "tenant/policies/ios.json")
    var tenant = try #require(Fixture.tenant().objectValue)
    tenant["assignments"] = [["policy": "policies/ios.json", "groups": ["guests"]], ["policy": "policies/new.json"]]
    await fixture.write(.object(tenant))
    #expect(await fixture.host.checkIn().ids("policies") == ["T_ios"])
    fixture.folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_new", "printBlocked": true}"##,
      to: "tenant/policies/new.json")
    fixture.folder.write("[]", to: "tenant/policies/ios.json")
    await fixture.load()
    #expect(await fixture.host.checkIn().ids("policies") == ["T_new"])
    #expect(await fixture.send("GET", "/health/ready").body["isCurrent"] == true)
  }

  @Test("If the first version of a folder is faulty, nothing is served")
  func first() async throws {
    let fixture = try await Fixture(policy: ["displayName": "says nothing"])
    #expect(fixture.service.parts.served.edition == nil)
    #expect(fixture.lines.withLock { $0.contains { $0.contains("Nothing is served.") } })
  }

  @Test("The log names members that are ignored in the folder, once per change and without users")
  func ignored() async throws {
    let fixture = try await Fixture()
    func told() -> [String] { fixture.lines.withLock { $0.filter { $0.hasPrefix("unknownRestriction: ") } } }
    #expect(told().count == 1 && told()[0].contains("policies/ios.json: unknownMember: is not known"))
    await fixture.load()
    #expect(told().count == 1)
    await fixture.write(Fixture.tenant(alice: ["displayName": "Alice A."]))
    #expect(told().count == 2)
  }
}
