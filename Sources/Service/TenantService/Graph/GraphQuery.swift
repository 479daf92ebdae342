import Cryptography
import HTTP
import JSON
import Model

/// The query options of a request to Graph.
package struct GraphQuery: Sendable {
  package static let usualPage = 100
  package static let largestPage = 999

  /// How many elements a page has.
  package private(set) var top: Int?
  package private(set) var skip = 0
  /// `nil` for all members.
  package private(set) var select: [String]?
  package private(set) var expand: [String] = []
  package private(set) var counts = false
  package private(set) var filter: [GraphCondition] = []
  /// The id of the last element of the page before; `nil` for the first page.
  package private(set) var after: String?
  /// Parameters of a function, such as `userId`.
  package private(set) var parameters: [String: String] = [:]
  /// What a link to the next page repeats.
  private var repeated: [(name: String, value: String)] = []

  /// `options` are those that the resource understands. Throws for others, because an ignored option would lead to a
  /// wrong answer.
  package init(
    _ target: HTTPTarget, options: Set<String> = [], expanding expandable: [String] = [],
    parameters known: [String] = []
  ) throws(GraphError) {
    var seen: Set<String> = []
    for (name, value) in target.query {
      guard seen.insert(name).inserted else { throw .badRequest("The query option \(name) is given twice.") }
      if known.contains(name) {
        parameters[name] = value
      } else {
        try read(name, value, options, expandable)
      }
      if name != "$skiptoken" && name != "$skip" { repeated.append((name, value)) }
    }
  }

  private mutating func read(
    _ name: String, _ value: String, _ options: Set<String>, _ expandable: [String]
  ) throws(GraphError) {
    guard options.contains(name) else {
      let known = options.sorted()
      let hint = known.nearest(to: name).map { " Did you mean \($0)?" } ?? ""
      throw .badRequest(
        "The query option \(name.shortened) is not supported here"
          + (known.isEmpty ? "." : "; supported are \(known.joined(separator: ", ")).") + hint)
    }
    switch name {
    case "$top": top = min(try Self.number(name, value, from: 1), Self.largestPage)
    case "$skip": skip = try Self.number(name, value, from: 0)
    case "$select": select = try Self.names(name, value)
    case "$count": counts = try Self.flag(name, value)
    case "$filter": filter = try GraphCondition.read(value)
    case "$expand":
      expand = try Self.names(name, value)
      if let other = expand.first(where: { !expandable.contains($0) }) {
        throw .badRequest("\(other.shortened) cannot be expanded; only \(expandable.joined(separator: " and ")) can.")
      }
    default:
      let bytes = Base64URL.decode(value)
      guard let text = bytes.flatMap({ String(validating: $0, as: UTF8.self) }), !text.isEmpty, !text.contains("\0")
      else {
        throw .badRequest("The $skiptoken is not one of this service. Start again without it.")
      }
      after = text
    }
  }

  private static func number(_ name: String, _ value: String, from least: Int) throws(GraphError) -> Int {
    guard let number = Int(value), number >= least, number <= 1_000_000 else {
      throw .badRequest("\(name) must be a number from \(least) to 1000000.")
    }
    return number
  }

  private static func flag(_ name: String, _ value: String) throws(GraphError) -> Bool {
    guard value == "true" || value == "false" else { throw .badRequest("\(name) must be true or false.") }
    return value == "true"
  }

  private static func names(_ name: String, _ value: String) throws(GraphError) -> [String] {
    let names = value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmedASCII)
    guard names.allSatisfy(\.isGraphName) else {
      throw .badRequest("\(name) must be a list of names, separated by commas; nested options are not supported.")
    }
    return names
  }

  /// The query of a path that ends with `/$count`. Only elements that meet the filter count.
  package init(counting target: HTTPTarget) throws(GraphError) {
    try self.init(target, options: ["$filter"])
    (counts, top) = (true, 1)
  }

  /// The query of a link to the page after `last`. `skip` is how many elements are still to be left out.
  package func text(after last: String, skipping skip: Int = 0) -> String {
    var pairs = repeated.map { "\($0.name.escapedName)=\($0.value.percentEncoded)" }
    if skip > 0 { pairs.append("$skip=\(skip)") }
    return (pairs + ["$skiptoken=\(Base64URL.encode(Array(last.utf8)))"]).joined(separator: "&")
  }

  /// The object with the selected members only. The id and the type stay, as in Graph.
  package func selected(_ object: JSONObject) -> JSONObject {
    guard let select else { return object }
    let kept = Set(select + expand + ["id", "@odata.type"])
    return JSONObject(object.members.filter { kept.contains($0.name) }.map { ($0.name, $0.value) })
  }
}

/// One `name eq value` of a filter. All of them must be met.
package struct GraphCondition: Hashable, Sendable {
  package let name: String
  package let value: JSONValue

  package func isMet(by object: JSONObject) -> Bool {
    let found = object[name] ?? .null
    if let text = value.stringValue, let other = found.stringValue {
      return text.lowercasedASCII == other.lowercasedASCII
    }
    if let number = value.numberValue, let other = found.numberValue { return number == other }
    return found == value
  }

  static func read(_ text: String) throws(GraphError) -> [GraphCondition] {
    var scanner = FilterScanner(text)
    var conditions: [GraphCondition] = []
    repeat {
      guard let name = scanner.name(), scanner.word("eq"), let value = scanner.value() else {
        throw .badRequest("$filter must have the form: name eq 'value', or several of them with \"and\" in between.")
      }
      conditions.append(GraphCondition(name: name, value: value))
    } while scanner.word("and")
    guard scanner.isAtEnd else {
      throw .badRequest("$filter has something other than eq and and: \(scanner.rest.shortened)")
    }
    return conditions
  }
}

private struct FilterScanner {
  private(set) var rest: String

  init(_ text: String) { rest = text.trimmedASCII }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes the text up to the next space.
  private mutating func token() -> String {
    let token = String(rest.prefix { $0 != " " })
    rest = String(rest.dropFirst(token.count)).trimmedASCII
    return token
  }

  mutating func name() -> String? {
    let name = token()
    return name.isGraphName ? name : nil
  }

  mutating func word(_ word: String) -> Bool {
    guard rest == word || rest.hasPrefix(word + " ") else { return false }
    _ = token()
    return true
  }

  mutating func value() -> JSONValue? {
    guard rest.hasPrefix("'") else {
      let text = token()
      if let plain = ["true": JSONValue.bool(true), "false": .bool(false), "null": .null][text] { return plain }
      if let number = Int64(text) { return .integer(number) }
      // A GUID or a time is not quoted.
      return text.isEmpty || text.contains(where: { "()'".contains($0) }) ? nil : .string(text)
    }
    var text = ""
    var characters = rest.dropFirst()[...]
    while let character = characters.popFirst() {
      guard character == "'" else {
        text.append(character)
        continue
      }
      // Two quotes stand for one.
      guard characters.first == "'" else {
        rest = String(characters)
        guard rest.isEmpty || rest.hasPrefix(" ") else { return nil }
        rest = rest.trimmedASCII
        return .string(text)
      }
      text.append("'")
      characters.removeFirst()
    }
    return nil
  }
}

extension String {
  /// Letters, digits and underscores.
  fileprivate var isGraphName: Bool {
    !isEmpty && utf8.count <= 100
      && utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
      }
  }

  fileprivate var shortened: String { String(prefix(60)) }

  /// A name of a query option, with its dollar sign as it is.
  fileprivate var escapedName: String { hasPrefix("$") ? "$" + String(dropFirst()).percentEncoded : percentEncoded }
}
