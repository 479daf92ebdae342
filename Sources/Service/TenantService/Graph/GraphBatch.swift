import HTTP
import JSON
import Support

/// `$batch`: several requests in one, each answered as if it had come alone.
extension GraphCall {
  static let largestBatch = 20

  func batch(_ report: @Sendable (GraphReport) -> Void) async throws(GraphError) -> GraphAnswer {
    guard request.method == "POST" else { throw .otherMethod("POST") }
    try checkNoQuery()
    let parts = try batchParts()
    var responses: [JSONValue] = []
    // One after the other, in the order of the client.
    var failed: Set<String> = []
    for part in parts {
      let response: HTTPResponse
      if part.waitsFor.contains(where: failed.contains) {
        let refusal = GraphError(424, "FailedDependency", "A request that this one depends on has failed.")
        response = refusal.response(to: part.request, id: part.requestID, at: service.clock.now)
      } else {
        response = await service.response(to: part.request, part.target, isPart: true, report) {
          () throws(GraphError) in caller
        }
      }
      if response.status >= 400 { failed.insert(part.key) }
      responses.append(part.answer(response))
    }
    return .value(["responses": .array(responses)])
  }

  private func batchParts() throws(GraphError) -> [GraphBatchPart] {
    let body = try self.body()
    guard let elements = body["requests"]?.arrayValue, body.names.allSatisfy({ $0 == "requests" || $0.isAnnotation })
    else {
      throw .badRequest("The body of a batch must be an object with a list, \"requests\", and nothing else.")
    }
    guard (1...Self.largestBatch).contains(elements.count) else {
      throw .badRequest("A batch must have 1 to \(Self.largestBatch) requests, not \(elements.count).")
    }
    var parts: [GraphBatchPart] = []
    var seen: Set<String> = []
    for (place, element) in elements.enumerated() {
      let part = try GraphBatchPart(element, at: place, of: request, version: path.version)
      guard seen.insert(part.key).inserted else {
        throw .badRequest("The id \(part.id.brief) is given to several requests of the batch.")
      }
      if let unknown = part.waitsFor.first(where: { !seen.contains($0) || $0 == part.key }) {
        throw .badRequest(
          "requests/\(place)/dependsOn names \(unknown.prefix(60)), which is not a request before it.")
      }
      parts.append(part)
    }
    return parts
  }
}

/// One request of a batch.
private struct GraphBatchPart {
  /// As the client wrote it: a text or a whole number.
  let id: JSONValue
  /// The ids, compared without regard to case.
  let key: String
  let waitsFor: [String]
  let request: HTTPRequest
  let target: HTTPTarget
  var requestID: String { request.headers["request-id"] ?? "none" }

  private static let members = ["id", "method", "url", "headers", "body", "dependsOn"]
  private static let methods = ["GET", "POST", "PATCH", "DELETE", "PUT"]

  init(_ value: JSONValue, at place: Int, of batch: HTTPRequest, version: String) throws(GraphError) {
    let path = "requests/\(place)"
    guard let object = value.objectValue else { throw .badRequest("\(path) must be an object, not \(value.brief).") }
    if let other = object.names.first(where: { !Self.members.contains($0) }) {
      throw .badRequest(
        "\(path) has an unknown member, \(other.prefix(60)). It may have \(Self.members.joined(separator: ", ")).")
    }
    guard let id = object["id"], let key = Self.key(id) else {
      throw .badRequest("\(path)/id must be a text of 1 to 100 bytes, or a whole number.")
    }
    guard let method = object["method"]?.stringValue?.uppercased(), Self.methods.contains(method) else {
      throw .badRequest("\(path)/method must be one of \(Self.methods.joined(separator: ", ")).")
    }
    (self.id, self.key) = (id, key)
    let dependencies = object["dependsOn"] ?? .null
    guard let names = dependencies.isNull ? [] : dependencies.arrayValue, case let keys = names.compactMap(Self.key),
      keys.count == names.count
    else { throw .badRequest("\(path)/dependsOn must be a list of ids.") }
    waitsFor = keys
    let url = try Self.url(object["url"]?.stringValue ?? "", path, version)
    guard let target = HTTPTarget(url) else { throw .badRequest("\(path)/url cannot be read.") }
    self.target = target
    var request = HTTPRequest(method, url)
    for member in object["headers"]?.objectValue?.members ?? [] {
      guard let text = member.value.stringValue else {
        throw .badRequest("\(path)/headers/\(member.name) must be a text.")
      }
      request.headers[member.name] = text
    }
    // Who asks, only the batch itself says.
    request.headers["Authorization"] = nil
    request.headers["request-id"] = batch.headers["request-id"]
    if request.clientRequestID == nil { request.headers["client-request-id"] = batch.clientRequestID }
    if let body = object["body"], !body.isNull { request.body = Array(body.jsonText.utf8) }
    self.request = request
  }

  private static func key(_ id: JSONValue) -> String? {
    let text = id.stringValue ?? id.integerValue.map { String($0) } ?? ""
    return (1...100).contains(text.utf8.count) ? text.lowercasedASCII : nil
  }

  private static func url(_ text: String, _ path: String, _ version: String) throws(GraphError) -> String {
    guard !text.isEmpty, !text.contains("://"), !text.hasPrefix("//") else {
      throw .badRequest(
        "\(path)/url must be relative to /\(version), such as \"/deviceAppManagement/managedAppPolicies\".")
    }
    return "/\(version)" + (text.hasPrefix("/") ? "" : "/") + text
  }

  /// With headers also if there are none, on which clients rely.
  func answer(_ response: HTTPResponse) -> JSONValue {
    var headers: JSONObject = [:]
    for (name, value) in response.headers.fields where name != "ETag" { headers[name] = .string(value) }
    var answer: JSONObject = ["id": id, "status": .integer(Int64(response.status)), "headers": .object(headers)]
    if !response.body.isEmpty {
      let text = String(decoding: response.body, as: UTF8.self)
      answer["body"] = (try? JSONValue(parsing: response.body)) ?? .string(text)
    }
    return .object(answer)
  }
}
