import HTTP
import JSON
import Testing

@testable import TenantService

@Suite("Graph batches") struct GraphBatchTests {
  typealias Editor = GraphEditorDouble

  static func part(_ id: JSONValue, _ method: String, _ url: String, _ more: JSONObject = [:]) -> JSONValue {
    .object(JSONObject([("id", id), ("method", .string(method)), ("url", .string(url))]).adding(more))
  }

  static let json: JSONObject = ["headers": ["Content-Type": "application/json"]]

  func send(_ editor: Editor, _ parts: [JSONValue], caller: Caller = Editor.writer) async throws -> HTTPResponse {
    try await editor.send("POST", "/beta/$batch", ["requests": .array(parts)], caller: caller)
  }

  @Test("A batch answers each request as if it had been sent alone, with its id and headers")
  func answers() async throws {
    let editor = try Editor()
    let path = "deviceAppManagement/iosManagedAppProtections"
    let response = try await send(
      editor,
      [
        Self.part(1, "GET", "/\(path)/\(Editor.policy)/assignments"), Self.part("two", "GET", "users/none"),
        Self.part(3, "PATCH", "\(path)/\(Editor.policy)", Self.json.adding(["body": ["description": "d"]])),
        Self.part("4", "POST", "/\(path)", Self.json.adding(["body": ["displayName": "N"]])),
        Self.part("5", "PATCH", "/\(path)/\(Editor.policy)", ["body": ["description": "e"]]),
      ])
    #expect(response.status == 200, "\(response.text)")
    let answers = try #require(response.value["responses"]?.arrayValue)
    try #require(answers.count == 5)
    #expect(answers.map { $0["id"] } == [1, "two", 3, "4", "5"])
    #expect(answers.map { $0["status"] } == [200, 404, 204, 201, 400])
    #expect(answers.allSatisfy { $0["headers"]?.objectValue != nil })
    let context = answers[0]["body"]?["@odata.context"]?.stringValue
    #expect(context?.contains("('\(Editor.policy)')/assignments") == true)
    #expect(answers[0]["body"]?["value"] == [])
    #expect(answers[2]["body"] == nil)
    #expect(answers[3]["body"]?["id"] != nil)
    #expect(editor.stored(Editor.policy)?["description"] == "d")
    // The audit has each of them.
    let calls = editor.world.state.withLock(\.calls)
    #expect(calls.map(\.status) == [200, 404, 204, 201, 400])
    #expect(calls.map(\.isWrite) == [false, false, true, true, true])
  }

  @Test("Each request in a batch is authorized separately")
  func rights() async throws {
    let editor = try Editor()
    let reader = GraphWorld.caller([GraphAdministrators.readRole])
    let header: JSONObject = ["headers": ["Authorization": "Bearer other"]]
    let response = try await send(
      editor,
      [
        Self.part(1, "GET", "/deviceAppManagement/managedAppPolicies"),
        Self.part(2, "DELETE", "/deviceAppManagement/managedAppPolicies/\(Editor.policy)", header),
      ], caller: reader)
    let answers = response.value["responses"]?.arrayValue ?? []
    #expect(answers.map { $0["status"] } == [200, 403])
    #expect(editor.stored(Editor.policy) != nil)
    #expect(try await send(editor, [Self.part(1, "GET", "/users")], caller: GraphWorld.caller([])).status == 403)
  }

  @Test("A batch answers 424 for a request that depends on a failed one")
  func dependencies() async throws {
    let editor = try Editor()
    let response = try await send(
      editor,
      [
        Self.part("a", "GET", "/nothing"), Self.part("b", "GET", "/users", ["dependsOn": ["A"]]),
        Self.part("c", "GET", "/users", ["dependsOn": ["b"]]), Self.part("d", "GET", "/users"),
      ])
    #expect(response.value["responses"]?.arrayValue?.map { $0["status"] } == [404, 424, 424, 200])
  }

  @Test(
    "A batch that breaks a rule is refused as a whole with 400",
    arguments: [
      ([part("a", "GET", "/users"), part("A", "GET", "/users")], "several requests"),
      ([part(1, "GET", "/users"), part("1", "GET", "/users")], "several requests"),
      ([part(.null, "GET", "/users")], "id must be"), ([part("", "GET", "/users")], "id must be"),
      ([["method": "GET", "url": "/users"]], "id must be"), ([], "1 to 20 requests, not 0"),
      ((0..<21).map { part(.integer($0), "GET", "/users") }, "1 to 20 requests, not 21"),
      ([part(1, "TRACE", "/users")], "method must be"),
      ([part(1, "GET", "https://tenant.example/v1.0/users")], "relative"),
      ([part(1, "GET", "//evil.example/users")], "relative"), ([part(1, "GET", "")], "relative"),
      (["x"], "must be an object"),
      ([part(1, "GET", "/users", ["headers": ["a": 1]])], "must be a text"),
      ([part(1, "GET", "/users", ["dependsOn": ["2"]])], "not a request before it"),
      ([part(1, "GET", "/users", ["bodi": 1])], "unknown member, bodi"),
    ] as [([JSONValue], String)])
  func refusals(_ parts: [JSONValue], _ text: String) async throws {
    let response = try await send(try Editor(), parts)
    #expect(response.status == 400, "\(response.text)")
    #expect(response.message.contains(text), "\(response.text)")
  }

  @Test("A batch reaches neither another batch nor paths outside its version of Graph")
  func nesting() async throws {
    let response = try await send(
      try Editor(),
      [
        Self.part(1, "POST", "/$batch", Self.json.adding(["body": ["requests": []]])),
        Self.part(2, "GET", "/../dev/users"),
        Self.part(3, "GET", "/dev/users"), Self.part(4, "GET", "/v1.0/users"),
      ])
    let answers = response.value["responses"]?.arrayValue ?? []
    #expect(answers.map { $0["status"] } == [400, 404, 404, 404], "\(response.text)")
    let read = try await Editor().send("GET", "/v1.0/$batch")
    #expect(read.status == 405)
  }
}
