import BridgeAPI
import JSON
import Testing

/// A method as the argument of a test.
struct MethodCase: Sendable, CustomTestStringConvertible {
  static let all = API.methods.map(MethodCase.init)
  static let hostRequests = API.hostRequests.map(MethodCase.init)
  /// Whichever end of the connection makes the request.
  static let bothWays = all + hostRequests

  let method: any Method.Type

  var testDescription: String { method.name }
  var params: [FieldDescription] { describe(method) }

  private func describe<M: Method>(_ method: M.Type) -> [FieldDescription] {
    var components = SchemaComponents()
    return M.Params.fields.describe(in: &components)
  }
}

/// What the document says of a method.
extension MethodCase {
  static let document = OpenRPC.document(serverVersion: "0.0.0")
  static let components = document["components"]?["schemas"]?.objectValue ?? [:]

  var description: JSONValue {
    let described = ["methods", "x-delegates"].flatMap { Self.document[$0]?.arrayValue ?? [] }
    return described.first { $0["name"] == .string(method.name) } ?? .null
  }
}
