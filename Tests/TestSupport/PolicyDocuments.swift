import JSON
import Model
import Policy
import Testing

extension PolicyDocument {
  /// From an object that may say nothing, or what nobody understands.
  package init(
    unchecked object: JSONObject, kind: PolicyKind, source: String = "x", fallbackID: String = "x",
    warnings: inout [PolicyWarning]
  ) {
    let imported = PolicyImport(object, source: source, kind: kind)
    warnings += imported.warnings
    let targeting = try? PolicyTargeting(graph: object, source: source, warnings: &warnings)
    self.init(
      imported, kind: kind, source: source, fallbackID: fallbackID, targeting: targeting ?? PolicyTargeting())
  }

  /// From JSON text; a misfit fails the test. A setting of another platform has no effect.
  package static func of(_ id: String, _ kind: PolicyKind = .ios, _ text: String) throws -> PolicyDocument {
    var warnings: [PolicyWarning] = []
    let object = try #require(try JSONValue(parsing: text).objectValue)
    let policy = PolicyDocument(unchecked: object, kind: kind, source: id, fallbackID: id, warnings: &warnings)
    #expect(warnings.filter { $0.kind != .otherPlatform }.isEmpty)
    return policy
  }

  package static func sample(_ name: String) throws -> PolicyDocument {
    let kind = try #require(PolicyKind(rawValue: String(name.prefix { $0 != "-" })))
    return try of(name, kind, try #require(SharedFolder.text("samples/\(name).json")))
  }
}
