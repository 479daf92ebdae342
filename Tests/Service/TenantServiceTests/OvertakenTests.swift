import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// What others do between a look and the step that follows from it.
@Suite(.timeLimit(.minutes(5))) struct OvertakenTests {
  @Test("An outdated read of the tenant does not replace a newer version")
  func reading() async throws {
    let fixture = try await Fixture()
    let database = HeldDatabase(fixture.database)
    let served = ServedTenant(TenantStore(current: database))
    database.hold(next: .read)
    let overtaken = Task { try await served.update() }
    #expect(await database.isHolding())
    await fixture.write(Fixture.tenant(alice: ["displayName": "Alice Adams"]))
    try await served.update()
    let newest = try #require(served.edition?.generation)
    database.release()
    try await overtaken.value
    #expect(served.edition?.generation == newest)
    #expect(served.edition?.user(Fixture.alice)?.displayName == "Alice Adams")
  }

  @Test("A registration created concurrently by another host keeps its secret")
  func enrollment() async throws {
    let fixture = try await Fixture()
    let database = HeldDatabase(fixture.database)
    let store = TenantStore(current: database)
    let service = TenantService(
      store: store, served: ServedTenant(store), tokens: fixture.tokens, graph: nil, options: ServiceOptions(),
      clock: fixture.clock
    ) { _ in }
    await service.load(folder: TenantFolderWatch(path: fixture.folder.file("tenant")))
    var late = fixture.host
    late.secret = Base64Bytes([UInt8](repeating: 2, count: 32)).text
    let headers = HTTPHeaders(["Authorization": "Bearer user:\(Fixture.alice)", "Content-Type": "application/json"])
    let body = Array(JSONValue.object(late.body).jsonText.utf8)
    let request = HTTPRequest("POST", "/mam/v1/check-in", headers: headers, body: body)
    database.hold(next: .write)
    let overtaken = Task { Answer(await service.response(to: request, from: "192.0.2.1")) }
    #expect(await database.isHolding())
    #expect(await fixture.host.checkIn().status == 200)
    database.release()
    let answer = await overtaken.value
    #expect(answer.status == 403)
    #expect(answer.body["error"]?["message"] == "the registration has another secret")
    #expect(await fixture.host.checkIn().status == 200, "the secret of the first is the secret of the registration")
  }
}
