import JSON
import Model

/// What `$filter` asks of an element.
package indirect enum GraphFilter: Hashable, Sendable {
  case compare(String, Comparison, JSONValue)
  case any(of: String, [JSONValue])
  case text(TextTest, String, String)
  case not(GraphFilter)
  case and([GraphFilter])
  case or([GraphFilter])

  package enum Comparison: String, CaseIterable, Sendable { case eq, ne, gt, ge, lt, le }

  package enum TextTest: String, CaseIterable, Sendable { case startswith, endswith, contains }

  /// Texts are compared without regard to case, as in Graph. A member that is missing counts as null.
  package func isMet(by object: JSONObject) -> Bool {
    switch self {
    case .compare(let name, let comparison, let value): comparison.isMet(object[name] ?? .null, value)
    case .any(let name, let values): values.contains { Comparison.eq.isMet(object[name] ?? .null, $0) }
    case .text(let test, let name, let value):
      object[name]?.stringValue.map { test.isMet($0.lowercasedASCII, value.lowercasedASCII) } ?? false
    case .not(let filter): !filter.isMet(by: object)
    case .and(let filters): filters.allSatisfy { $0.isMet(by: object) }
    case .or(let filters): filters.contains { $0.isMet(by: object) }
    }
  }

  /// The text that a member must have in every element that meets the filter; `nil` if the filter does not say one.
  func required(_ member: String) -> String? {
    switch self {
    case .compare(member, .eq, let value): value.stringValue
    case .and(let filters): filters.lazy.compactMap { $0.required(member) }.first
    default: nil
    }
  }

  /// The filter with other names of members.
  func mapped(_ name: (String) throws(GraphError) -> String) throws(GraphError) -> GraphFilter {
    switch self {
    case .compare(let member, let comparison, let value): return .compare(try name(member), comparison, value)
    case .any(let member, let values): return .any(of: try name(member), values)
    case .text(let test, let member, let value): return .text(test, try name(member), value)
    case .not(let filter): return .not(try filter.mapped(name))
    case .and(let filters): return .and(try Self.mapped(filters, name))
    case .or(let filters): return .or(try Self.mapped(filters, name))
    }
  }

  private static func mapped(
    _ filters: [GraphFilter], _ name: (String) throws(GraphError) -> String
  ) throws(GraphError) -> [GraphFilter] {
    var mapped: [GraphFilter] = []
    for filter in filters { mapped.append(try filter.mapped(name)) }
    return mapped
  }
}

extension GraphFilter.Comparison {
  fileprivate func isMet(_ found: JSONValue, _ value: JSONValue) -> Bool {
    switch self {
    case .eq: found.isEqual(to: value)
    case .ne: !found.isEqual(to: value)
    case .gt: found.order(to: value).map { $0 > 0 } ?? false
    case .ge: found.order(to: value).map { $0 >= 0 } ?? false
    case .lt: found.order(to: value).map { $0 < 0 } ?? false
    case .le: found.order(to: value).map { $0 <= 0 } ?? false
    }
  }
}

extension GraphFilter.TextTest {
  fileprivate func isMet(_ found: String, _ value: String) -> Bool {
    switch self {
    case .startswith: found.hasPrefix(value)
    case .endswith: found.hasSuffix(value)
    case .contains: value.isEmpty || found.firstRange(of: value) != nil
    }
  }
}

extension JSONValue {
  fileprivate func isEqual(to other: JSONValue) -> Bool {
    order(to: other).map { $0 == 0 } ?? (self == other)
  }

  /// Negative, zero or positive; `nil` for values that have no order.
  func order(to other: JSONValue) -> Int? {
    if let number = numberValue, let second = other.numberValue {
      return number == second ? 0 : number < second ? -1 : 1
    }
    guard let text = stringValue?.lowercasedASCII, let second = other.stringValue?.lowercasedASCII else { return nil }
    return text == second ? 0 : text.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
  }
}

// MARK: - Reading

extension GraphFilter {
  static let most = 100

  static func read(_ text: String) throws(GraphError) -> GraphFilter {
    var reader = FilterReader(text)
    guard let filter = reader.alternatives() else { throw .badRequest(reader.isTooLong ? tooLong : form) }
    guard reader.isAtEnd else {
      throw .badRequest("$filter has something that is not understood: \(reader.rest.prefix(60)). \(form)")
    }
    return filter
  }

  private static let form =
    "$filter must consist of comparisons such as name eq 'value' (eq, ne, gt, ge, lt, le), name in ('a', 'b'), "
    + "startswith(name, 'a'), endswith and contains, with and, or, not and parentheses."
  private static let tooLong = "$filter may have at most \(most) comparisons."
}

/// Reads a filter. The functions return `nil` for text that is none.
private struct FilterReader {
  private(set) var rest: Substring
  private var count = 0
  private var depth = 0

  init(_ text: String) { rest = Substring(text.trimmedASCII) }

  var isAtEnd: Bool { rest.isEmpty }
  var isTooLong: Bool { count > GraphFilter.most || depth > GraphFilter.most }

  private mutating func skipSpaces() { rest = rest.drop { $0 == " " } }

  private mutating func take(_ text: String) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    skipSpaces()
    return true
  }

  /// A word that ends where no name could go on.
  private mutating func word(_ word: String) -> Bool {
    guard rest.hasPrefix(word), rest.dropFirst(word.count).first.map({ " (".contains($0) }) ?? true else {
      return false
    }
    return take(word)
  }

  private mutating func name() -> String? {
    let name = String(rest.prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) })
    guard !name.isEmpty, name.utf8.count <= 100 else { return nil }
    return take(name) ? name : nil
  }

  mutating func alternatives() -> GraphFilter? {
    guard let first = conjunction() else { return nil }
    var filters = [first]
    while word("or") {
      guard let next = conjunction() else { return nil }
      filters.append(next)
    }
    return filters.count == 1 ? first : .or(filters)
  }

  private mutating func conjunction() -> GraphFilter? {
    guard let first = condition() else { return nil }
    var filters = [first]
    while word("and") {
      guard let next = condition() else { return nil }
      filters.append(next)
    }
    return filters.count == 1 ? first : .and(filters)
  }

  private mutating func condition() -> GraphFilter? {
    count += 1
    depth += 1
    defer { depth -= 1 }
    guard !isTooLong else { return nil }
    if word("not") { return condition().map { .not($0) } }
    if take("(") {
      guard let filter = alternatives(), take(")") else { return nil }
      return filter
    }
    guard let name = name() else { return nil }
    if let test = GraphFilter.TextTest(rawValue: name.lowercased()), take("(") {
      guard let member = self.name(), take(","), let value = value()?.stringValue, take(")") else { return nil }
      return .text(test, member, value)
    }
    if word("in") { return list().map { .any(of: name, $0) } }
    guard let comparison = GraphFilter.Comparison.allCases.first(where: { word($0.rawValue) }), let value = value()
    else { return nil }
    return .compare(name, comparison, value)
  }

  private mutating func list() -> [JSONValue]? {
    guard take("(") else { return nil }
    var values: [JSONValue] = []
    repeat {
      count += 1
      guard !isTooLong, let value = value() else { return nil }
      values.append(value)
    } while take(",")
    return take(")") ? values : nil
  }

  private mutating func value() -> JSONValue? {
    guard rest.first == "'" else {
      let text = String(rest.prefix { !" ,()'".contains($0) })
      guard !text.isEmpty, take(text) else { return nil }
      if let plain = ["true": JSONValue.bool(true), "false": .bool(false), "null": .null][text] { return plain }
      // A GUID or a time is not quoted.
      return Int64(text).map(JSONValue.integer) ?? .string(text)
    }
    var text = ""
    rest.removeFirst()
    while let character = rest.popFirst() {
      guard character == "'" else {
        text.append(character)
        continue
      }
      // Two quotes stand for one.
      guard rest.first == "'" else {
        guard rest.first.map({ " ,)".contains($0) }) ?? true else { return nil }
        skipSpaces()
        return .string(text)
      }
      text.append("'")
      rest.removeFirst()
    }
    return nil
  }
}
