import JSON
import Testing

@testable import Bridge

@Suite struct RoundTripTests {
  @Test("Params by name or position, and results, survive decoding and encoding", arguments: RequestCase.bothWays)
  func roundTrip(_ method: RequestCase) throws {
    for round in SampleValues.rounds { try check(method.method, round) }
  }

  @Test("Every parameter and result that may be null decodes from null", arguments: RequestCase.bothWays)
  func nulls(_ method: RequestCase) throws {
    try checkNulls(method.method)
  }

  @Test("An SDK enumeration in params also accepts the SDK's integers", arguments: RequestCase.bothWays)
  func integers(_ method: RequestCase) throws {
    for field in method.params {
      for (name, integer) in choices(field.schema) {
        var params = example(method.method)
        params[field.name] = integer
        #expect(try decoded(method.method, params)[field.name] == name)
      }
    }
  }

  @Test("An undeclared parameter is an error that names the path", arguments: RequestCase.bothWays)
  func unknown(_ method: RequestCase) throws {
    var params = example(method.method)
    params["nobody/declared~this"] = 1
    #expect(throws: JSONDecodingError(.unknown).inside("nobody/declared~this")) { try decoded(method.method, params) }
  }

  @Test("A missing required parameter is an error that names the parameter", arguments: RequestCase.bothWays)
  func missing(_ method: RequestCase) throws {
    for field in method.params where field.isRequired {
      var params = example(method.method)
      params[field.name] = nil
      #expect(throws: JSONDecodingError(.missing).inside(field.name)) { try decoded(method.method, params) }
    }
  }

  private func check<M: Request>(_ method: M.Type, _ round: Int) throws {
    var components = SchemaComponents()
    let fields = M.Params.fields.describe(in: &components)
    let result = M.Result.schema(in: &components)
    var samples = SampleValues(components: components, round: round)
    let params = JSONObject(fields.map { ($0.name, samples.value(for: $0.schema)) })

    #expect(try decoded(method, params) == params)
    let elements = JSONValue.array(params.members.map(\.value))
    let byPosition = try M.Params.fields.decode(elements: JSONDocument(parsing: elements.jsonText).root)
    #expect(byPosition.jsonValue == .object(params))

    let value = samples.value(for: result)
    #expect(try M.Result.decode(JSONDocument(parsing: value.jsonText).root).jsonValue == value)
  }

  private func checkNulls<M: Request>(_ method: M.Type) throws {
    var components = SchemaComponents()
    for field in M.Params.fields.describe(in: &components) where field.mayBeNull {
      var params = example(method)
      params[field.name] = .null
      #expect(try decoded(method, params)[field.name] == .null)
    }
    guard M.Result.schema(in: &components)["anyOf"]?.arrayValue?.contains(["type": "null"]) == true else { return }
    #expect(try M.Result.decode(JSONDocument(parsing: "null").root).jsonValue == .null)
  }

  /// The pairs of name and integer of an enumeration's schema.
  private func choices(_ schema: JSONValue) -> [(JSONValue, JSONValue)] {
    let name = schema["$ref"]?.stringValue?.split(separator: "/").last.map(String.init) ?? ""
    let alternatives = (RequestCase.components[name]?["anyOf"]?.arrayValue ?? []).compactMap { $0["enum"]?.arrayValue }
    guard alternatives.count == 2 else { return [] }
    return Array(zip(alternatives[0], alternatives[1]))
  }
}

/// The parameters as they are written after they were read.
private func decoded<M: Request>(_ method: M.Type, _ params: JSONObject) throws -> JSONObject {
  let document = try JSONDocument(parsing: params.jsonText)
  return try M.Params.fields.decode(members: document.root, ignoring: nil).jsonValue.objectValue ?? [:]
}

private func example<M: Request>(_ method: M.Type) -> JSONObject {
  M.example.params.jsonValue.objectValue ?? [:]
}

extension FieldDescription {
  fileprivate var mayBeNull: Bool { schema["anyOf"]?.arrayValue?.contains(["type": "null"]) ?? false }
}
