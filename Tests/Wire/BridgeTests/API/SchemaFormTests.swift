import JSON
import TestSupport
import Testing

@testable import Bridge

/// What generators of clients need of the schema.
@Suite struct SchemaFormTests {
  private static let document = JSONValue.object(RequestCase.document)
  private static let entries = ["methods", "x-events", "x-delegates"].flatMap { document[$0]?.arrayValue ?? [] }
  /// Those of events are what the server sends; a host sends the params of methods and the results of its own.
  private static let sent = values("methods", params: false) + values("x-events") + values("x-delegates", result: false)
  private static let read = values("methods", result: false) + values("x-delegates", params: false)

  private static func values(_ list: String, params: Bool = true, result: Bool = true) -> [JSONValue] {
    (document[list]?.arrayValue ?? []).flatMap { item in
      (params ? item["params"]?.arrayValue ?? [] : []) + (result ? [item["result"]].compactMap { $0 } : [])
    }
  }

  @Test("Enumerations are names in what the server sends, and names or integers in what it reads")
  func directions() {
    let names = RequestCase.components.names
    let inputs = Set(names.filter { $0.hasSuffix("Input") })
    let enumerations = Set(inputs.map { String($0.dropLast("Input".count)) })
    #expect(!inputs.isEmpty)
    #expect(enumerations.isSubset(of: names))
    #expect(Self.reachable(from: Self.sent).isDisjoint(with: inputs))
    #expect(Self.reachable(from: Self.read, except: inputs).isDisjoint(with: enumerations))
  }

  @Test("Every record and enumeration in the OpenRPC document is a named schema")
  func names() {
    for entry in Self.entries {
      for value in (entry["params"]?.arrayValue ?? []) + [entry["result"]].compactMap({ $0 }) {
        #expect(!Self.hasNameless(value["schema"] ?? .null), "\(entry["name"]?.jsonText ?? "")")
      }
    }
    // The words of a setting belong to it alone.
    for (name, schema) in RequestCase.components.members.map({ ($0.name, $0.value) }) where name != "TestSettings" {
      let parts = (schema.objectValue?.members ?? []).filter { $0.name != "enum" && $0.name != "properties" }.map(
        \.value)
      let members = schema["properties"]?.objectValue?.members.map(\.value) ?? []
      #expect(!(parts + members).contains { Self.hasNameless($0) }, "\(name)")
    }
  }

  @Test("No parameter that is not deprecated is named like a keyword of a client's language")
  func keywords() {
    for entry in Self.entries {
      for param in entry["params"]?.arrayValue ?? [] where param["deprecated"] != true {
        #expect(!Self.keywords.contains(param["name"]?.stringValue ?? ""), "\(entry["name"]?.jsonText ?? "")")
      }
    }
  }

  @Test("A method's tag is its namespace, and the document's servers are stdio, tcp, unix and http")
  func tags() {
    for entry in Self.entries {
      let parts = entry["name"]?.stringValue?.split(separator: ".") ?? []
      let tag = parts.count == 2 ? String(parts[0]) : "connection"
      #expect(entry["tags"] == [.reference(to: "tags", tag)])
      #expect(Self.document["components"]?["tags"]?[tag] == ["name": .string(tag)])
    }
    let servers = Self.document["servers"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
    #expect(servers == ["stdio", "tcp", "unix", "http"])
  }

  @Test("The OpenRPC document for hosts has all requests to the host and every component they refer to")
  func host() {
    let host = JSONValue.object(OpenRPC.hostDocument(serverVersion: "0.0.0"))
    #expect(host["methods"] == Self.document["x-delegates"])
    for (kind, components) in (host["components"]?.objectValue?.members ?? []).map({ ($0.name, $0.value) }) {
      for member in components.objectValue?.members ?? [] {
        #expect(member.value == Self.document["components"]?[kind]?[member.name], "\(kind) \(member.name)")
      }
    }
    #expect(
      Self.references(in: host).allSatisfy { path in
        path.reduce(host["components"]) { $0?[$1] } != nil
      })
  }
}

// The flat form

extension SchemaFormTests {
  private static let flat = JSONValue.object(FlatDocument.flattened(RequestCase.document))

  @Test("References in the flat schema lead only to records and enumerations")
  func flatReferences() {
    for path in Self.references(in: Self.flat) {
      let target = path.reduce(Self.flat["components"]) { $0?[$1] }
      #expect(target?["properties"] != nil || target?["enum"] != nil, "\(path)")
    }
    #expect(Self.flat["components"]?.objectValue?.names == ["schemas"])
    #expect(Self.flat["methods"]?.arrayValue?.first?["errors"]?.arrayValue?.first?["code"] == -32602)
    #expect(Self.flat["x-errors"]?.arrayValue?.count == Self.document["x-errors"]?.arrayValue?.count)
  }

  @Test("The flat schema omits deprecated members, integers beside names, and names that are no identifiers")
  func flatOmissions() throws {
    let gap = Self.flat["x-events"]?.arrayValue?.first { $0["name"] == "events.gap" }
    #expect(gap?["params"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == ["after", "to"])
    #expect(gap?["examples"]?.arrayValue?.first?["params"]?.arrayValue?.count == 2)
    let schemas = try #require(Self.flat["components"]?["schemas"]?.objectValue)
    #expect(schemas["EventGap"]?["required"] == ["after", "to"])
    #expect(schemas["SaveLocationInput"] == nil)
    #expect(schemas["SettingChanges"]?["properties"]?["SplashIconFile~ipad"] == nil)
    let asked = Self.flat["methods"]?.arrayValue?.first { $0["name"] == "policy.isSaveToAllowedForLocation" }
    let location = asked?["params"]?.arrayValue?.first
    #expect(location?["schema"] == .reference(to: "schemas", "SaveLocation"))
  }
}

extension SchemaFormTests {
  /// The names of the schemas that these lead to. Does not look into those of `except`.
  private static func reachable(from values: [JSONValue], except: Set<String> = []) -> Set<String> {
    var found: Set<String> = []
    var waiting = values
    while let value = waiting.popLast() {
      for path in references(in: value) where path.first == "schemas" && found.insert(path[1]).inserted {
        if !except.contains(path[1]) { waiting.append(RequestCase.components[path[1]] ?? .null) }
      }
    }
    return found
  }

  /// Each as the kind and the name of a component.
  private static func references(in value: JSONValue) -> [[String]] {
    if let path = value["$ref"]?.stringValue { return [path.split(separator: "/").suffix(2).map(String.init)] }
    return parts(of: value).flatMap { references(in: $0) }
  }

  private static func hasNameless(_ schema: JSONValue) -> Bool {
    schema["properties"] != nil || schema["enum"] != nil || parts(of: schema).contains { hasNameless($0) }
  }

  private static func parts(of value: JSONValue) -> [JSONValue] {
    value.arrayValue ?? value.objectValue?.members.map(\.value) ?? []
  }

  private static let keywords = Set(
    """
    False None True and as assert async await break class continue def del elif else except finally for from global if \
    import in is lambda nonlocal not or pass raise return try while with yield \
    case catch const debugger default delete do enum export extends false function instanceof let new null static super \
    switch this throw true typeof var void implements interface package private protected public \
    chan defer fallthrough func go goto map range select struct type \
    crate dyn extern fn impl loop match mod move mut pub ref self Self trait unsafe use where abstract become box final \
    macro override priv unsized virtual \
    boolean byte char double float int long native short strictfp synchronized throws transient volatile \
    auto inline register restrict signed sizeof typedef union unsigned
    """.split(separator: " ").map(String.init))
}
