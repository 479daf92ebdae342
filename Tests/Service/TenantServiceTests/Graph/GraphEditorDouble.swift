import HTTP
import JSON
import Model
import Policy
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// An editor of a tenant in memory: each policy is a file of its own. What it shows is served at once.
final class GraphEditorDouble: TenantEditor {
  struct State {
    var files: TenantFileSet
    var orders: [TenantEditOrder] = []
    /// How often a change is asked again, as if somebody else had been faster.
    var races = 0
    var asked = 0
  }

  let state: Lock<State>
  let world = GraphWorld()
  private let settings: GraphService.Settings

  static let policy = "T_11111111-0000-4000-8000-000000000001"
  static let android = "T_11111111-0000-4000-8000-000000000002"
  static let standard = "G_11111111-0000-4000-8000-000000000003"
  static let configuration = "A_11111111-0000-4000-8000-000000000004"
  static let overridden = "T_11111111-0000-4000-8000-000000000005"
  static let device = "device"
  static let filter = "22222222-0000-4000-8000-000000000001"
  static let writer = GraphWorld.caller(["Writer"])
  static let management = "/beta/deviceAppManagement"

  init(_ change: (inout GraphService.Settings) throws -> Void = { _ in }) throws {
    var settings = GraphService.Settings(publicURL: "https://tenant.example/")
    settings.administrators = try GraphAdministrators(writeRoles: ["Writer"])
    try change(&settings)
    self.settings = settings
    state = Lock(State(files: TenantFileSet(texts: Self.texts)))
  }

  static func object(_ list: PolicyList, _ id: String, _ more: JSONObject = [:]) -> String {
    let object: JSONObject = [
      "@odata.type": .string(list.type), "id": .string(id), "displayName": .string("Policy \(id)"), "version": "1",
      "apps": [], "appGroupType": "allApps", "assignments": [],
      (list == .configurations ? "customSettings" : "pinRequired"): list == .configurations ? [] : true,
    ]
    return JSONValue.object(object.adding(more)).jsonText
  }

  private static let texts: [String: String] = [
    "tenant.json": JSONValue.object([
      "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso",
      "users": [
        [
          "id": .string(GraphWorld.alice), "userPrincipalName": "alice@contoso.example", "displayName": "Alice",
          "groups": ["staff"], "clock": ["status": "clockedIn"],
        ],
        ["id": .string(GraphWorld.bob), "userPrincipalName": "bob@contoso.example", "groups": ["guests"]],
      ],
      "assignments": [["policy": "policies/overridden.json", "groups": ["staff"]]],
    ]).jsonText,
    "policies/ios.json": object(
      .ios, policy,
      ["pinRequired": true, "minimumPinLength": 6, "unknownMember": ["kept": 1], "roleScopeTagIds": ["7"]]),
    "policies/android.json": object(.android, android),
    "policies/default.json": object(.default, standard, ["assignments": .null, "apps": .null, "appGroupType": .null]),
    "policies/overridden.json": object(.ios, overridden),
    "policies/device.json": #"{"IntuneMAMPolicies": {"PINEnabled": "1"}, "IntuneMAMPolicyVersion": 7}"#,
    "configurations/mail.json": object(
      .configurations, configuration, ["customSettings": [["name": "greeting", "value": "hello"]]]),
    "filters/one.json": #"{"id": "\#(filter)", "displayName": "Corporate", "rule": "(device.model -eq \"x\")"}"#,
  ]

  var tenant: GraphTenant? {
    do {
      return GraphTenant(try state.withLock(\.files).read())
    } catch {
      Issue.record("a write has left a tenant that cannot be read: \(error)")
      return nil
    }
  }

  var service: GraphService {
    GraphService(settings, store: world, editor: self, tenant: { self.tenant }, clock: world.clock)
  }

  func edit(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) {
    guard let tenant else { throw .failed }
    let races = state.withLock { state -> Int in
      state.orders.append(order)
      state.asked += 1
      return state.races
    }
    for _ in 0..<races { _ = try change(tenant) }
    let edits = try change(tenant)
    state.withLock { state in
      var texts = state.files.texts
      for edit in edits { Self.apply(edit, to: &texts, tenant) }
      state.files = TenantFileSet(texts: texts)
    }
  }

  private static func apply(_ edit: TenantEdit, to texts: inout [String: String], _ tenant: GraphTenant) {
    switch edit {
    case .set(let list, let object):
      let id = object["id"]?.stringValue ?? ""
      let folder = list == .configurations ? "configurations" : "policies"
      texts[tenant.policy(id)?.file ?? "\(folder)/\(id).json"] = JSONValue.object(object).jsonText
    case .remove(_, let id):
      // An entry of tenant.json for a file that is gone would make the tenant unreadable.
      let file = tenant.policy(id)?.file ?? ""
      texts[file] = nil
      change("assignments", &texts) { $0.filter { $0["policy"]?.stringValue != file } }
    case .setUser(let user): change("users", &texts) { $0.filter { $0["id"] != user["id"] } + [.object(user)] }
    case .removeUser(let id): change("users", &texts) { $0.filter { $0["id"]?.stringValue != id } }
    }
  }

  private static func change(
    _ list: String, _ texts: inout [String: String], _ elements: ([JSONValue]) -> [JSONValue]
  ) {
    var file = TenantFileSet(texts: texts).tenantFile
    file[list] = .array(elements(file[list]?.arrayValue ?? []))
    texts["tenant.json"] = JSONValue.object(file).jsonText
  }

  func preview(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> JSONObject {
    guard let tenant else { throw .failed }
    return ["edits": .integer(Int64(try change(tenant).count))]
  }

  // MARK: - Requests

  func send(
    _ method: String, _ url: String, _ body: JSONValue? = nil, headers: KeyValuePairs<String, String> = [:],
    caller: Caller? = writer
  ) async throws -> HTTPResponse {
    var sent = HTTPHeaders(headers)
    if body != nil, sent["Content-Type"] == nil { sent["Content-Type"] = "application/json" }
    var request = HTTPRequest(method, url, headers: sent, body: body.map { Array($0.jsonText.utf8) } ?? [])
    request.headers["request-id"] = "request-1"
    let target = try #require(HTTPTarget(url))
    return await service.response(
      to: request, at: target, by: caller.map(Authorization.caller) ?? .missing
    ) { [world] report in
      switch report {
      case .failure(let failure): world.state.withLock { $0.failures.append(failure) }
      case .call(let call): world.state.withLock { $0.calls.append(call) }
      }
    }
  }

  /// The object as its file has it.
  func stored(_ id: String) -> JSONObject? { tenant?.policy(id)?.stored }

  /// Creates a policy and returns its id.
  func create(_ list: PolicyList, _ body: JSONObject = [:]) async throws -> String {
    let body = JSONObject([("displayName", "Made by a test")]).adding(body)
    let response = try await send("POST", "\(Self.management)/\(list.rawValue)", .object(body))
    #expect(response.status == 201, "\(response.text)")
    return try #require(response.value["id"]?.stringValue)
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
  var code: String? { value["error"]?["code"]?.stringValue }
  /// The sentence of an error, in either form.
  var message: String {
    let message = value["error"]?["message"]?.stringValue ?? ""
    return (try? JSONValue(parsing: message))?["Message"]?.stringValue ?? message
  }
}
