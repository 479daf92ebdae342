import JSON

/// Whether each location may be used, as an object from every location's name to a boolean.
public struct LocationPermissions<Location: SDKEnum>: Hashable, Sendable {
  private let allowed: Set<Location>

  public init(allowed: Set<Location>) {
    self.allowed = allowed
  }

  /// Asks for each location there is.
  public init(_ isAllowed: (Location) -> Bool) {
    allowed = Set(Location.allCases.filter(isAllowed))
  }

  public subscript(location: Location) -> Bool { allowed.contains(location) }
}

extension LocationPermissions: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    let flags = try [String: Bool].decode(node)
    for name in flags.keys.sorted() where Location(rawValue: name) == nil {
      throw JSONDecodingError(.unknown).inside(name)
    }
    for location in Location.allCases where flags[location.rawValue] == nil {
      throw JSONDecodingError(.missing).inside(location.rawValue)
    }
    return Self { flags[$0.rawValue] ?? false }
  }

  package func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    for location in Location.allCases { writer.member(location.rawValue, self[location]) }
    writer.endObject()
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    let names = Location.allCases.map(\.rawValue)
    return [
      "type": "object",
      "properties": .object(JSONObject(names.map { ($0, ["type": "boolean"]) })),
      "required": .array(names.map(JSONValue.string)),
      "additionalProperties": false,
    ]
  }
}
