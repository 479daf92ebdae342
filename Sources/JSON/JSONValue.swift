/// Any JSON value. Members of an object keep their order; integers are exact to 64 bits.
public indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// Also of a number without a fraction, such as 5.0.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  public var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// Nil for what is no list of strings.
  package var strings: [String]? {
    let texts = arrayValue?.compactMap(\.stringValue)
    return texts?.count == arrayValue?.count ? texts : nil
  }

  public var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  public var isNull: Bool { self == .null }

  /// The member of an object; nil when this is none or has none of that name.
  public subscript(name: String) -> JSONValue? { objectValue?[name] }

  /// The word that an error text uses for this kind of value.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral, ExpressibleByFloatLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
  public init(nilLiteral: ()) { self = .null }
}
