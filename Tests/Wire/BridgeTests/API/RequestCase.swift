import JSON
import Testing

@testable import Bridge

/// A method, or a request to a host, as the argument of a test.
struct RequestCase: Sendable, CustomTestStringConvertible {
  static let all = API.allMethods.map { RequestCase(method: $0) }
  static let hostRequests = API.hostRequests.map { RequestCase(method: $0) }
  /// Whichever end of the connection makes the request.
  static let bothWays = all + hostRequests

  let method: any Request.Type

  var testDescription: String { method.name }
  var params: [FieldDescription] { describe(method) }

  var exampleParams: JSONValue { Self.exampleParams(method) }

  private static func exampleParams<R: Request>(_ method: R.Type) -> JSONValue { R.example.params.jsonValue }

  private func describe<R: Request>(_ method: R.Type) -> [FieldDescription] {
    var components = SchemaComponents()
    return R.Params.fields.describe(in: &components)
  }
}

/// What the document says of a method.
extension RequestCase {
  static let document = OpenRPC.document(serverVersion: "0.0.0")
  static let components = document["components"]?["schemas"]?.objectValue ?? [:]

  var description: JSONValue {
    let described = ["methods", "x-delegates"].flatMap { Self.document[$0]?.arrayValue ?? [] }
    return described.first { $0["name"] == .string(method.name) } ?? .null
  }
}
