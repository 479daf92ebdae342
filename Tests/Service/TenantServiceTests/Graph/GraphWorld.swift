import Database
import HTTP
import JSON
import Model
import SourceProtocol
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// A Graph over the sample tenant, with registrations in memory.
final class GraphWorld: GraphStore {
  struct State {
    var registrations: [GraphRegistration] = []
    var operations: [String: [GraphOperation]] = [:]
    /// How often a list was read.
    var queries = 0
    var orders: [String] = []
    var isAway = false
    /// What was reported to the router.
    var failures: [DatabaseError] = []
    var calls: [GraphReport.Call] = []
  }

  static let alice = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
  static let bob = "5bde3e51-d13b-4db1-9948-fe4b109d11a7"
  static let leaver = "00000000-0000-4000-8000-00000000dead"
  static let policyT1 = "T_1f3ac5b2-30d1-4a5c-8f4c-6d1c0a5e7b11"

  let state = Lock(State())
  let clock = ManualClock(startingAt: Timestamp(milliseconds: 1_790_000_000_000))

  static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  init(registrations count: Int = 3) {
    state.withLock { state in
      for number in 0..<count {
        var registration = GraphRegistration(
          id: Self.id(number), userId: number == 2 ? Self.leaver : Self.alice, appId: "com.contoso.app\(number)",
          deviceTag: number == 2 ? "tag2" : "tag1", created: clock.now, lastSync: clock.now)
        registration.platform = number == 1 ? .android : .ios
        registration.isJailbroken = number == 1
        registration.applied = [
          PolicyVersion(id: Self.policyT1, version: "1"), PolicyVersion(id: "T_gone", version: nil),
        ]
        state.registrations.append(registration)
      }
    }
  }

  func service(
    pageSize: Int = 100, _ change: (inout GraphService.Settings) throws -> Void = { _ in }
  ) throws -> GraphService {
    let folder = try SampleTenant().read()
    let tenant = GraphTenant(folder)
    var settings = GraphService.Settings(publicURL: "https://tenant.example/")
    settings.pageSize = pageSize
    try change(&settings)
    return GraphService(settings, store: self, tenant: { tenant }, clock: clock)
  }

  static func caller(
    _ roles: Set<String> = [GraphAdministrators.writeRole], scopes: Set<String> = [], tenant: String? = nil
  ) -> Caller {
    Caller(tenantId: tenant, objectId: alice, roles: roles, scopes: scopes, claims: ["upn": "admin@contoso.example"])
  }

  func send(
    _ method: String, _ url: String, body: String = "", headers: KeyValuePairs<String, String> = [:],
    caller: Caller? = GraphWorld.caller(), to service: GraphService? = nil
  ) async throws -> HTTPResponse {
    var request = HTTPRequest(method, url, headers: HTTPHeaders(headers), body: Array(body.utf8))
    request.headers["request-id"] = "request-1"
    let target = try #require(HTTPTarget(url))
    let authorization = caller.map(Authorization.caller) ?? .missing
    return await (try service ?? self.service()).response(to: request, at: target, by: authorization) { report in
      if case .failure(let failure) = report { state.withLock { $0.failures.append(failure) } }
    }
  }

  // The store.

  private func check<Result>(
    _ body: (inout sending State) -> sending Result
  ) throws(DatabaseError) -> sending Result {
    guard !state.withLock(\.isAway) else { throw DatabaseError(.unavailable, "as the test wants it") }
    return state.withLock(body)
  }

  func graphRegistrations(
    after id: String?, limit: Int, user: String?, endedSince: Timestamp?
  ) async throws(DatabaseError) -> [GraphRegistration] {
    try check { state in
      state.queries += 1
      let listed = state.registrations.filter { registration in
        registration.id > id ?? "" && (registration.userId == user || user == nil)
          && Self.isListed(registration, endedSince)
      }
      return Array(listed.prefix(limit))
    }
  }

  func graphRegistration(_ id: String) async throws(DatabaseError) -> GraphRegistration? {
    try check { state in state.registrations.first { $0.id == id } }
  }

  private static func isListed(_ registration: GraphRegistration, _ earliest: Timestamp?) -> Bool {
    guard let ended = registration.ended else { return true }
    return earliest.map { ended >= $0 } ?? false
  }

  func registrationCount(of user: String?, endedSince: Timestamp?) async throws(DatabaseError) -> Int {
    try check { state in
      state.registrations.count { ($0.userId == user || user == nil) && Self.isListed($0, endedSince) }
    }
  }

  func hasRegistrations(of user: String, endedSince: Timestamp?) async throws(DatabaseError) -> Bool {
    try check { state in state.registrations.contains { $0.userId == user } }
  }

  func graphOperations(
    ofAll registrations: [String], user: String?
  ) async throws(DatabaseError) -> [String: [GraphOperation]] {
    try check { state in
      state.queries += 1
      return state.operations.filter { registrations.contains($0.key) }
    }
  }

  func graphOperations(of registration: String) async throws(DatabaseError) -> [GraphOperation] {
    try check { state in state.operations[registration] ?? [] }
  }

  func orderWipe(
    of user: String, in tenant: String, onDevice tag: String, by actor: String, request: String?, at now: Timestamp
  ) async throws(DatabaseError) -> Int {
    try check { state in
      let targets = state.registrations.filter { $0.userId == user && $0.deviceTag == tag }
      state.orders.append("\(actor) \(tenant) \(user) \(tag) \(targets.count)")
      for target in targets {
        state.operations[target.id, default: []].append(
          GraphOperation(id: "op-\(target.id)", kind: "wipe", state: "pending", changed: now))
      }
      return targets.count
    }
  }

  func blockUser(
    _ user: String, in tenant: String, by actor: String, at time: Timestamp
  ) async throws(DatabaseError) -> Int {
    try check { state in
      state.orders.append("block \(user)")
      return state.registrations.count { $0.userId == user }
    }
  }

  func unblockUser(
    _ user: String, in tenant: String, by actor: String, at time: Timestamp
  ) async throws(DatabaseError) -> Bool {
    try check { state in state.orders.contains("block \(user)") }
  }

  func flaggedUsers() async throws(DatabaseError) -> [String] {
    try check { state in Set(state.registrations.filter(\.isJailbroken).map(\.userId)).sorted() }
  }

  func editions(limit: Int) async throws(DatabaseError) -> [Edition] { [] }
  func registrationsOfEditions() async throws(DatabaseError) -> [Int64: Int] { [:] }
  func files(ofEdition number: Int64) async throws(DatabaseError) -> EditionFiles? { nil }
}

extension HTTPResponse {
  var value: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

  /// The ids of a list.
  var ids: [String] { value["value"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? [] }
}
