import Cryptography
import JSON
import Model
import Support

/// A UUID, in lower case.
struct WireIdentifier: FieldValue, Hashable {
  let text: String

  init?(_ text: String) {
    guard text.isGUID else { return nil }
    self.text = text.lowercasedASCII
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> WireIdentifier {
    guard let value = WireIdentifier(try String.decode(node)) else {
      throw JSONDecodingError(.invalid("must be a UUID"))
    }
    return value
  }

  func encode(to writer: inout JSONWriter) { writer.string(text) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    let digits = "[0-9a-fA-F]"
    return [
      "type": "string", "format": "uuid",
      "pattern": .string("^\(digits){8}-\(digits){4}-\(digits){4}-\(digits){4}-\(digits){12}$"),
    ]
  }
}

/// The secret of a registration: 32 bytes. Only its hash is kept.
struct RegistrationSecret: FieldValue, Hashable {
  private static let count = 32
  static let isSecret = true

  private let bytes: [UInt8]

  init?(_ text: String) {
    guard let bytes = Base64Bytes(text: text)?.bytes, bytes.count == Self.count, Base64Bytes(bytes).text == text else {
      return nil
    }
    self.bytes = bytes
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> RegistrationSecret {
    guard let value = RegistrationSecret(try String.decode(node)) else {
      throw JSONDecodingError(.invalid("must be \(count) bytes in base64 with padding"))
    }
    return value
  }

  func encode(to writer: inout JSONWriter) { writer.base64String(bytes) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "pattern": "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$", "description": "32 bytes in base64."]
  }

  func hash() throws(CryptographyError) -> [UInt8] { try SHA256.digest(bytes) }
}

/// Text without control characters, of at most 200 characters.
struct WireLine: FieldValue, Hashable {
  static let longest = 200

  let text: String

  init?(_ text: String) {
    let scalars = text.unicodeScalars
    guard scalars.count <= Self.longest, scalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      return nil
    }
    self.text = text
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> WireLine {
    guard let value = WireLine(try String.decode(node)) else {
      throw JSONDecodingError(.invalid("must be text of at most \(longest) characters without control characters"))
    }
    return value
  }

  func encode(to writer: inout JSONWriter) { writer.string(text) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "maxLength": .integer(Int64(longest)), "pattern": #"^[^\u0000-\u001f\u007f]*$"#]
  }
}

/// A line that is not empty.
struct WireName: FieldValue, Hashable {
  let text: String

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> WireName {
    let line = try WireLine.decode(node)
    guard !line.text.isEmpty else { throw JSONDecodingError(.invalid("must not be empty")) }
    return WireName(text: line.text)
  }

  func encode(to writer: inout JSONWriter) { writer.string(text) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    [
      "type": "string", "minLength": 1, "maxLength": .integer(Int64(WireLine.longest)),
      "pattern": #"^[^\u0000-\u001f\u007f]+$"#,
    ]
  }
}

/// The version of the check-in's messages.
struct WireVersion: FieldValue, Hashable {
  static let number: Int64 = 1

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> WireVersion {
    guard try Int64.decode(node) == number else {
      throw JSONDecodingError(.invalid("must be \(number), the version that this service speaks"))
    }
    return WireVersion()
  }

  func encode(to writer: inout JSONWriter) { writer.integer(Self.number) }

  static func schema(in components: inout SchemaComponents) -> JSONValue { ["const": .integer(number)] }
}

/// A time in RFC 3339.
struct WireTime: FieldValue, Hashable {
  let time: Timestamp

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> WireTime {
    guard let time = Timestamp(try String.decode(node)) else {
      throw JSONDecodingError(.invalid("must be a time in RFC 3339, such as 2026-01-31T09:30:00Z"))
    }
    return WireTime(time: time)
  }

  func encode(to writer: inout JSONWriter) { writer.string(time.description) }

  static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string", "format": "date-time"] }
}

/// A list with a limit.
protocol WireListLimit: Sendable {
  static var range: ClosedRange<Int> { get }
}

struct WireList<Element: FieldValue, Limit: WireListLimit>: FieldValue {
  let elements: [Element]

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> WireList {
    if let count = node.elementCount, !Limit.range.contains(count) {
      throw JSONDecodingError(
        .invalid("must have \(Limit.range.lowerBound) to \(Limit.range.upperBound) elements, but has \(count)"))
    }
    return WireList(elements: try [Element].decode(node))
  }

  func encode(to writer: inout JSONWriter) { elements.encode(to: &writer) }

  static var absent: WireList? { Limit.range.contains(0) ? WireList(elements: []) : nil }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    var schema = [Element].schema(in: &components).objectValue ?? [:]
    if Limit.range.lowerBound > 0 { schema["minItems"] = .integer(Int64(Limit.range.lowerBound)) }
    schema["maxItems"] = .integer(Int64(Limit.range.upperBound))
    return .object(schema)
  }
}

enum FewElements: WireListLimit { static let range = 0...200 }
enum PolledElements: WireListLimit { static let range = 1...200 }
