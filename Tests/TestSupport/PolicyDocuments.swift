import JSON
import Model
import Policy
import Testing

extension PolicyDocument {
  /// From JSON text; a misfit fails the test.
  package static func of(_ id: String, _ kind: PolicyKind = .ios, _ text: String) throws -> PolicyDocument {
    var warnings: [PolicyWarning] = []
    let object = try #require(try JSONValue(parsing: text).objectValue)
    let policy = PolicyDocument(graph: object, kind: kind, source: id, fallbackID: id, warnings: &warnings)
    #expect(warnings.isEmpty)
    return policy
  }

  package static func sample(_ name: String) throws -> PolicyDocument {
    let kind = try #require(PolicyKind(rawValue: String(name.prefix { $0 != "-" })))
    return try of(name, kind, try #require(SharedFolder.text("samples/\(name).json")))
  }
}
