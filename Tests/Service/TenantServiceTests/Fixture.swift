import Database
import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// A service with a folder, an SQLite store and tokens that tests make up.
final class Fixture: Sendable {
  static let tenantId = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
  static let alice = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
  static let bob = "5bde3e51-d13b-4db1-9948-fe4b109d11a7"
  static let dave = "c03e6eaa-b6ab-46d7-905b-73ec7ea1f755"
  static let carol = "4782e723-f4f4-4af3-a76e-25e3bab0d896"
  static let admin = "11111111-2222-4333-8444-555555555555"
  static let start = Timestamp(milliseconds: 1_800_000_000_000)

  let folder = TemporaryFolder(inMemory: true)
  let clock = ManualClock(startingAt: start)
  let tokens = KnownTokens()
  let lines = Lock<[String]>([])
  let database: SQLiteDatabase
  let store: TenantStore
  let service: TenantService

  init(
    options: ServiceOptions = ServiceOptions(), graph: (any GraphRoutes)? = nil, tenant: JSONValue = Fixture.tenant(),
    limit: RemovalLimit = RemovalLimit(), policy: JSONValue? = nil
  ) async throws {
    folder.write(tenant.jsonText, to: "tenant/tenant.json")
    if let policy { folder.write(policy.jsonText, to: "tenant/policies/more.json") }
    for (name, policy) in Self.policies { folder.write(policy.jsonText, to: "tenant/policies/\(name).json") }
    database = try SQLiteDatabase(path: folder.file("service.sqlite"))
    store = try await TenantStore(database)
    let lines = lines
    service = TenantService(
      store: store, served: ServedTenant(store, limit: limit), tokens: tokens, graph: graph, options: options,
      clock: clock
    ) { line in lines.withLock { $0.append(line) } }
    await load()
  }

  /// Reads the folder as the service does each second.
  func load() async { await service.load(folder: TenantFolderWatch(path: folder.file("tenant"))) }

  /// Lets days pass with the maintenance of each.
  func run(days: Int) async {
    for _ in 0..<days {
      clock.advance(byMilliseconds: CivilDate.millisecondsPerDay)
      await service.maintain()
    }
  }

  func write(_ tenant: JSONValue) async {
    folder.write(tenant.jsonText, to: "tenant/tenant.json")
    await load()
  }

  static func tenant(operations: JSONValue = [], alice more: JSONObject = [:]) -> JSONValue {
    var alice: JSONObject = [
      "id": .string(alice), "userPrincipalName": "alice@contoso.example", "mail": "alice.adams@contoso.example",
      "displayName": "Alice", "groups": ["staff"],
    ]
    for member in more.members { alice[member.name] = member.value }
    return [
      "tenantId": .string(tenantId), "displayName": "Contoso",
      "users": [
        .object(alice), ["id": .string(bob), "userPrincipalName": "bob@contoso.example", "groups": ["guests"]],
        ["id": .string(carol), "userPrincipalName": "carol@contoso.example", "licensed": false],
        ["id": .string(dave), "userPrincipalName": "dave@contoso.example", "accountEnabled": false],
      ],
      "operations": operations, "allowedAccounts": ["alice@contoso.example"],
    ]
  }

  private static let policies: [(String, JSONValue)] = [
    (
      "ios",
      [
        "@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_ios", "displayName": "iOS", "version": "1",
        "pinRequired": true, "minimumPinLength": 6,
        "unknownMember": ["kept": 1], "apps": [["mobileAppIdentifier": ["bundleId": "com.example.mail"]]],
        "assignments": [["target": ["@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "staff"]]],
      ]
    ),
    (
      "default",
      [
        "@odata.type": "#microsoft.graph.defaultManagedAppProtection", "id": "G_default", "displayName": "Default",
        "customSettings": [["name": "greeting", "value": "hello"]],
      ]
    ),
  ]
}

/// Accepts the tokens that it was told about.
final class KnownTokens: TokenChecker {
  private let known = Lock<[String: Result<Caller, TokenRefusal>]>([:])

  subscript(token: String) -> Result<Caller, TokenRefusal>? {
    get { known.withLock { $0[token] } }
    set { known.withLock { $0[token] = newValue } }
  }

  func caller(of token: String, at now: Timestamp) async throws(TokenRefusal) -> Caller {
    let known: Result<Caller, TokenRefusal>? = self[token]
    guard let known else {
      // user:<object id> is the token of that user.
      guard token.hasPrefix("user:") else { throw .invalid(reason: "not a token") }
      return Caller(
        tenantId: Fixture.tenantId, objectId: String(token.dropFirst(5)), roles: [], scopes: [], claims: [:])
    }
    return try known.get()
  }

  func set(_ token: String, _ result: Result<Caller, TokenRefusal>) { known.withLock { $0[token] = result } }
}

/// An account in an app on a device.
struct Host: Sendable {
  let fixture: Fixture
  var id = "aaaaaaaa-0000-4000-8000-000000000001"
  var secret = Base64Bytes([UInt8](repeating: 1, count: 32)).text
  var user: String? = Fixture.alice
  var identity: String?
  var token: String? = "user:" + Fixture.alice
  var app = "com.example.mail"
  var tag = "tag-1"
  var platform = "ios"
  var etag: String?

  var body: JSONObject {
    [
      "version": 1, "reason": "checkIn", "registration": ["id": .string(id), "secret": .string(secret)],
      "account": [
        "accountId": user.map(JSONValue.string) ?? .null, "identity": identity.map(JSONValue.string) ?? .null,
      ],
      "app": ["id": .string(app), "version": "1.0", "sdkVersion": "21.7.1"],
      "device": [
        "tag": .string(tag), "name": "Phone", "platform": .string(platform), "osVersion": "18.0", "manufacturer": "",
        "model": "", "jailbroken": false,
      ],
      "etag": etag.map(JSONValue.string) ?? .null, "applied": [["id": "T_ios", "version": "1"]], "health": [],
    ]
  }

  func checkIn() async -> Answer {
    var headers = HTTPHeaders()
    if let token { headers["Authorization"] = "Bearer " + token }
    return await fixture.post("/mam/v1/check-in", .object(body), headers)
  }

  func report(_ operation: String, _ outcome: String = "done") async -> Answer {
    await fixture.post(
      "/mam/v1/registrations/\(id)/operations/\(operation)",
      ["outcome": .string(outcome), "time": "2027-01-15T08:00:00Z", "reason": "disk full"], secretHeader)
  }

  func leave() async -> Answer { await fixture.send("DELETE", "/mam/v1/registrations/\(id)", secretHeader) }

  func changes(revision: Int64?, wait: Int64 = 0) async -> Answer {
    let registration: JSONValue = [
      "id": .string(id), "secret": .string(secret), "revision": revision.map(JSONValue.integer) ?? .null,
    ]
    return await fixture.post("/mam/v1/changes", ["registrations": [registration], "wait": .integer(wait)])
  }

  private var secretHeader: HTTPHeaders { HTTPHeaders(["Authorization": "Registration " + secret]) }
}

struct Answer: Sendable {
  let status: Int
  let headers: HTTPHeaders
  let body: JSONValue

  init(_ response: HTTPResponse) {
    status = response.status
    headers = response.headers
    body = (try? JSONValue(parsing: response.body)) ?? .null
  }

  var outcome: String? { body["outcome"]?.stringValue }
  var revision: Int64? { body["revision"]?.integerValue }
  var etag: String? { body["etag"]?.stringValue }
  var code: String? { body["error"]?["code"]?.stringValue }
  var operations: [String] { body["operations"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? [] }
  func ids(_ name: String) -> [String]? { body[name]?.arrayValue?.compactMap { $0["id"]?.stringValue } }
}

extension Fixture {
  func send(_ method: String, _ url: String, _ headers: HTTPHeaders = HTTPHeaders(), _ body: [UInt8] = []) async
    -> Answer
  {
    Answer(await service.response(to: HTTPRequest(method, url, headers: headers, body: body), from: "192.0.2.1"))
  }

  func post(_ url: String, _ body: JSONValue, _ headers: HTTPHeaders = HTTPHeaders()) async -> Answer {
    var headers = headers
    headers["Content-Type"] = "application/json"
    return await send("POST", url, headers, Array(body.jsonText.utf8))
  }

  var host: Host { Host(fixture: self) }

  /// Registrations that have not ended.
  func registrations() async throws -> [Registration] { try await store.registrations(limit: 1000) }

  func orderWipe(of user: String = alice, tag: String = "tag-1") async throws -> Int {
    try await store.orderWipe(of: user, in: Self.tenantId, onDevice: tag, by: Self.admin, at: clock.now)
  }

  func states(_ registration: String) async throws -> [TargetedOperation.State] {
    try await store.operations(of: registration).map(\.state)
  }
}
