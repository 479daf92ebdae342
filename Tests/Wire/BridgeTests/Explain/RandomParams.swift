import JSON
import Model
import TestSupport

@testable import Bridge

/// Random parameters for any question, by the names of its fields.
struct RandomParams {
  static let accounts: [JSONValue] = [
    "listed@fabrikam.example", "closed@fabrikam.example", .string(TenantFolder.listedId), "eve@home.example",
    "CLOSED@fabrikam.example",
  ]
  static let threads: [JSONValue] = ["main", "worker"]
  static let windows: [JSONValue] = ["main", "inbox"]
  private static let urls: [JSONValue] = [
    "https://a.sharepoint.com/b", "http://x.example", "https://d.example", "tel:1", "telprompt:1", "sms:1",
    "skype:eve", "itms:app", "mailto:eve", "text7:x", "x-intunemam:x", "about:blank", "android-app://Default/x",
  ]

  private static let missingFile: JSONValue = "/nowhere/at/all"

  /// Files, and what the clipboard may hold.
  let files: [JSONValue]
  let texts: [JSONValue]
  let data: [JSONValue]
  var random: SeededGenerator

  /// Names without a value of their own, each of which a test must fail for.
  private(set) var unknownNames: Set<String> = []

  init(files: [JSONValue], texts: [JSONValue], data: [JSONValue], random: SeededGenerator) {
    self.files = files
    self.texts = texts
    self.data = data
    self.random = random
  }

  mutating func params(of method: any Method.Type) -> JSONObject { describe(method) }

  private mutating func describe<M: Method>(_ method: M.Type) -> JSONObject {
    var components = SchemaComponents()
    var params: JSONObject = [:]
    for field in M.Params.fields.describe(in: &components) {
      guard field.isRequired || Bool.random(using: &random) else { continue }
      params[field.name] = value(for: field, components)
    }
    return params
  }

  private mutating func value(for field: FieldDescription, _ components: SchemaComponents) -> JSONValue {
    let words = words(of: field.schema, components)
    if !words.isEmpty { return pick(words) }
    switch field.name {
    case "account": return pick(Self.accounts + [""])
    case "accounts": return .array((0..<Int.random(in: 0...2, using: &random)).map { _ in pick(Self.accounts) })
    case "locationAccount": return pick(Self.accounts + ["", .null])
    case "thread": return pick(Self.threads)
    case "window": return pick(Self.windows)
    case "url": return pick(Self.urls)
    case "path": return pick(files + [Self.missingFile])
    case "paths": return [pick(files), pick(files)]
    case "text": return pick(texts)
    case "data": return pick(data)
    case "itemProvider": return pick([["data": pick(data)], ["path": pick(files)], ["url": pick(Self.urls)]])
    case "targets": return [target(), target(), target()]
    case "source": return ["account": pick(Self.accounts), "managed": .bool(.random(using: &random))]
    case "isKnownManagedAppScheme": return .bool(.random(using: &random))
    case "title", "body", "webViewer", "keyboard": return pick(["Default", "other"])
    default:
      unknownNames.insert(field.name)
      return .null
    }
  }

  private mutating func target() -> JSONValue {
    let id = pick(["Default", "com.example.mail"])
    return ["id": id, "managed": .bool(.random(using: &random)), "account": pick(Self.accounts + [.null])]
  }

  mutating func pick(_ values: [JSONValue]) -> JSONValue { values.randomElement(using: &random) ?? .null }

  private func words(of schema: JSONValue, _ components: SchemaComponents) -> [JSONValue] {
    let name = schema["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
    let schema = name.flatMap { components.schemas[$0] } ?? schema
    return schema["enum"]?.arrayValue ?? schema["anyOf"]?.arrayValue?.first?["enum"]?.arrayValue ?? []
  }
}
