import JSON
import Model
import Policy

/// Reads the members of an object in tenant.json. A member of the wrong type makes the file unparsable.
struct MemberReader {
  static let file = "tenant.json"

  private let object: JSONObject
  /// The path to the object, such as `users/0/`.
  private let place: String

  init(_ object: JSONObject, at place: String = "") {
    self.object = object
    self.place = place
  }

  func string(_ name: String) throws(TenantError) -> String? {
    try read(name, "a string", \.stringValue)
  }

  func required(_ name: String, hint: String? = nil) throws(TenantError) -> String {
    guard let text = try string(name), !text.isEmpty else {
      throw .unparsable(file: Self.file, reason: "\(place)\(name) is missing" + (hint.map { "; \($0)" } ?? ""))
    }
    return text
  }

  func required<Word: RawRepresentable<String>>(_ name: String, of words: [Word]) throws(TenantError) -> Word {
    let text = try required(name)
    guard let word = Word(rawValue: text) else {
      let known = words.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
      throw .unparsable(file: Self.file, reason: "\(place)\(name) must be \(known), not \"\(text)\"")
    }
    return word
  }

  func bool(_ name: String) throws(TenantError) -> Bool? {
    try read(name, "true or false", \.boolValue)
  }

  func strings(_ name: String) throws(TenantError) -> [String]? {
    try read(name, "a list of strings", \.strings)
  }

  func word(_ name: String, of words: [String]) throws(TenantError) -> String? {
    try read(name, words.map { "\"\($0)\"" }.joined(separator: " or ")) { value in
      value.stringValue.flatMap { words.contains($0) ? $0 : nil }
    }
  }

  func object(_ name: String) throws(TenantError) -> MemberReader? {
    try read(name, "an object", \.objectValue).map { MemberReader($0, at: place + name + "/") }
  }

  func objects(_ name: String) throws(TenantError) -> [MemberReader] {
    let objects = try read(name, "a list of objects") { value -> [JSONObject]? in
      let found = value.arrayValue?.compactMap(\.objectValue)
      return found?.count == value.arrayValue?.count ? found : nil
    }
    return (objects ?? []).enumerated().map { MemberReader($1, at: "\(place)\(name)/\($0)/") }
  }

  /// Reads an object whose values are all of one kind.
  func table<Value>(_ name: String, _ kind: String, _ value: (JSONValue) -> Value?) throws(TenantError)
    -> [String: Value]?
  {
    try read(name, "an object whose values are \(kind)") { object -> [String: Value]? in
      let members = object.objectValue?.members.map { member in (member.name, value(member.value)) }
      let found = members?.compactMap { name, value in value.map { (name, $0) } }
      guard let found, found.count == members?.count else { return nil }
      return Dictionary(found) { first, _ in first }
    }
  }

  func warnings(besides known: [String]) -> [PolicyWarning] {
    object.names.filter { !known.contains($0) }.map { name in
      PolicyWarning(Self.file, place + name, "is not known and is ignored")
    }
  }

  func warning(_ name: String, _ text: String) -> PolicyWarning {
    PolicyWarning(Self.file, place + name, text)
  }

  /// Null counts as absent.
  private func read<Value>(_ name: String, _ kind: String, _ value: (JSONValue) -> Value?) throws(TenantError)
    -> Value?
  {
    guard let member = object[name], !member.isNull else { return nil }
    guard let value = value(member) else {
      throw .unparsable(file: Self.file, reason: "\(place)\(name) must be \(kind)")
    }
    return value
  }
}

extension JSONValue {
  /// A string, or the text of a number or a boolean.
  var scalarText: String? {
    switch self {
    case .string(let text): text
    case .bool, .integer, .number: jsonText
    case .null, .array, .object: nil
    }
  }
}
