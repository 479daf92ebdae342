import JSON
import Model
import Support

@testable import Bridge

/// Makes a value for each place of a schema, so that no two places of one kind hold the same in all rounds: texts and
/// numbers differ at once, booleans and enumerations by the digits of the place's number.
struct SampleValues {
  static let rounds = 0..<6

  private let components: [String: JSONValue]
  private let round: Int
  private var place = 0

  init(components: SchemaComponents, round: Int) {
    self.components = components.schemas
    self.round = round
  }

  mutating func value(for schema: JSONValue) -> JSONValue {
    if let reference = schema["$ref"]?.stringValue {
      return value(named: String(reference.split(separator: "/").last ?? ""))
    }
    if let first = (schema["anyOf"] ?? schema["allOf"])?.arrayValue?.first { return value(for: first) }
    if let choices = schema["enum"]?.arrayValue { return choices[digit(base: choices.count)] }
    return switch schema["type"]?.stringValue {
    case "null": .null
    case "boolean": .bool(digit(base: 2) == 1)
    case "integer": .integer(number(from: schema["minimum"]?.integerValue ?? 0))
    case "number": .number(Double(number(from: 0)) + 0.5)
    case "array": .array((0..<2).map { _ in value(for: schema["items"] ?? [:]) })
    case "object": .object(object(schema))
    default: .string(text(schema))
    }
  }

  /// Members of a status follow from its code, so they cannot be chosen freely.
  private mutating func value(named name: String) -> JSONValue {
    let value = value(for: components[name] ?? [:])
    if name == "SettingChanges", var changes = value.objectValue {
      // A setting may be named only once.
      for alias in SettingKey.allCases.flatMap(\.aliases) { changes[alias] = nil }
      return .object(changes)
    }
    guard name == EnrollmentStatus.schemaName, var status = value.objectValue,
      let code = status["status"]?.stringValue.flatMap(EnrollmentStatusCode.init(rawValue:))
    else { return value }
    status["didSucceed"] = .bool(code.didSucceed)
    status["statusCode"] = .integer(Int64(code.sdkValue))
    status["errorString"] = code.didSucceed ? .null : status["errorString"]
    status["error"] =
      EnrollmentStatus(
        accountId: nil, identity: nil, statusCode: code, errorString: status["errorString"]?.stringValue
      ).jsonValue["error"]
    return .object(status)
  }

  private mutating func object(_ schema: JSONValue) -> JSONObject {
    if let properties = schema["properties"]?.objectValue {
      return JSONObject(properties.members.map { ($0.name, value(for: $0.value)) })
    }
    let names = names(schema["propertyNames"]) ?? (0..<2).map { _ in "member\(number(from: 0))" }
    return JSONObject(names.map { ($0, value(for: schema["additionalProperties"] ?? [:])) })
  }

  /// The names of an object that has one member for each value of an enumeration.
  private func names(_ reference: JSONValue?) -> [String]? {
    let name = reference?["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
    return name.flatMap { components[$0]?["enum"]?.strings }
  }

  private mutating func text(_ schema: JSONValue) -> String {
    let number = number(from: 1)
    if schema["format"] == "date-time" { return Timestamp(milliseconds: number * 1001).description }
    if schema["format"] == "duration" { return "PT\(number)S" }
    if schema["contentEncoding"] == "base64" { return Base64Bytes(Array("bytes\(number)".utf8)).text }
    if schema["format"] == "uri" { return "place:\(number)" }
    if schema["pattern"]?.stringValue?.contains("{6}") == true { return "#" + String(number + 100_000) }
    if schema["pattern"] != nil { return "\(number).4" }
    return schema["format"] == "absolute-path" ? "/text\(number)" : "text\(number)"
  }

  private mutating func number(from start: Int64) -> Int64 {
    place += 1
    return start + Int64(place)
  }

  /// The digit of this round of the place's number.
  private mutating func digit(base: Int) -> Int {
    place += 1
    var rest = place
    for _ in 0..<round { rest /= base }
    return rest % base
  }
}
