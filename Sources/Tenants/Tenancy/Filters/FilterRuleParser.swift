import Model

/// Why a rule cannot be evaluated, and where.
struct FilterRuleFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted in characters, from 1.
  let column: Int
  let reason: String

  var description: String { "column \(column): \(reason)" }
}

/// Reads the text of a rule.
struct FilterRuleParser {
  private static let deepest = 50

  private let tokens: [FilterToken]
  private var position = 0
  private var depth = 0

  static func parse(_ text: String) throws(FilterRuleFault) -> FilterRule {
    var parser = FilterRuleParser(tokens: try FilterToken.all(of: text))
    let rule = try parser.alternatives()
    guard parser.next.kind == .end else { throw parser.fault("expected \"and\", \"or\" or the end of the rule") }
    return rule
  }

  private init(tokens: [FilterToken]) {
    self.tokens = tokens
  }

  /// The last token is the end of the rule, which is never passed.
  private var next: FilterToken { tokens[position] }

  private mutating func take() -> FilterToken {
    defer { position = min(position + 1, tokens.count - 1) }
    return next
  }

  private func fault(_ expectation: String) -> FilterRuleFault {
    FilterRuleFault(column: next.column, reason: "\(expectation), not \(next.shown)")
  }

  private mutating func takes(_ kind: FilterToken.Kind) -> Bool {
    guard next.kind == kind else { return false }
    position += 1
    return true
  }

  private mutating func takes(word: String) -> Bool {
    guard next.word == word || next.word == "-" + word else { return false }
    position += 1
    return true
  }

  private mutating func alternatives() throws(FilterRuleFault) -> FilterRule {
    var rules = [try conjunction()]
    while takes(word: "or") { rules.append(try conjunction()) }
    return rules.count == 1 ? rules[0] : .any(rules)
  }

  private mutating func conjunction() throws(FilterRuleFault) -> FilterRule {
    var rules = [try element()]
    while takes(word: "and") { rules.append(try element()) }
    return rules.count == 1 ? rules[0] : .all(rules)
  }

  private mutating func element() throws(FilterRuleFault) -> FilterRule {
    guard next.kind == .open else { return .condition(try condition()) }
    guard depth < Self.deepest else {
      throw FilterRuleFault(column: next.column, reason: "parentheses nest deeper than \(Self.deepest)")
    }
    depth += 1
    defer { depth -= 1 }
    position += 1
    let rule = try alternatives()
    guard takes(.close) else { throw fault("expected \")\"") }
    return rule
  }

  private mutating func condition() throws(FilterRuleFault) -> FilterCondition {
    let property = try property()
    let comparison = try comparison(of: property)
    return FilterCondition(property: property, comparison: comparison, value: try value(property, comparison))
  }

  private mutating func property() throws(FilterRuleFault) -> FilterProperty {
    guard case .word(let text) = next.kind, text.contains(".") else {
      throw fault("expected a property such as app.deviceManagementType")
    }
    let name = text.lowercasedASCII
    guard name.hasPrefix("app.") else {
      let isOfDevices = name.hasPrefix("device.")
      throw FilterRuleFault(
        column: next.column,
        reason: isOfDevices
          ? "\(text) is a property of managed devices, which app protection cannot evaluate; use a filter for managed apps"
          : "\(text) is not a property of managed apps; properties begin with app.")
    }
    guard let property = FilterProperty.allCases.first(where: { "app." + $0.rawValue.lowercasedASCII == name }) else {
      throw FilterRuleFault(
        column: next.column,
        reason: "\(text) is not known\(FilterProperty.allCases.map { "app." + $0.rawValue }.hint(for: text))")
    }
    position += 1
    return property
  }

  private mutating func comparison(of property: FilterProperty) throws(FilterRuleFault) -> FilterOperator {
    let allowed = property.operators.map { "-" + $0.rawValue }
    guard let word = next.word, word.hasPrefix("-"),
      let found = property.operators.first(where: { "-" + $0.rawValue.lowercasedASCII == word })
    else {
      throw fault("app.\(property.rawValue) needs one of the operators \(allowed.joined(separator: ", "))")
    }
    position += 1
    return found
  }

  private mutating func value(
    _ property: FilterProperty, _ comparison: FilterOperator
  ) throws(FilterRuleFault) -> FilterCondition.Value {
    if comparison.takesList { return .texts(try list()) }
    if comparison == .eq || comparison == .ne, next.word == "null" || next.word == "$null" {
      position += 1
      return .null
    }
    let token = next
    let text = try text()
    switch property {
    case .deviceManagementType:
      if let type = ManagementType(filterValue: text) { return .type(type) }
      let hint = ManagementType.allCases.flatMap(\.filterValues).hint(for: text)
      throw FilterRuleFault(column: token.column, reason: "\(token.shown) is not a known management type\(hint)")
    case .operatingSystemVersion:
      if let version = VersionNumber(text) { return .version(version) }
      throw FilterRuleFault(column: token.column, reason: "\(token.shown) is not a version such as 17.4.1")
    case .deviceManufacturer, .deviceModel, .osVersion: return .texts([text.lowercasedASCII])
    }
  }

  private mutating func text() throws(FilterRuleFault) -> String {
    switch next.kind {
    case .text(let text) where !text.isEmpty:
      _ = take()
      return text
    case .word(let text) where !text.hasPrefix("-") && !text.hasPrefix("$"):
      _ = take()
      return text
    case .text: throw FilterRuleFault(column: next.column, reason: "the value is empty; Null stands for no value")
    default: throw fault("expected a value in double quotes")
    }
  }

  private mutating func list() throws(FilterRuleFault) -> [String] {
    guard takes(.openList) else { throw fault("expected a list such as [\"a\", \"b\"]") }
    var texts = [try text().lowercasedASCII]
    while takes(.comma) { texts.append(try text().lowercasedASCII) }
    guard takes(.closeList) else { throw fault("expected \",\" or \"]\"") }
    return texts
  }
}

extension [String] {
  fileprivate func hint(for name: String) -> String { nearest(to: name).map { "; did you mean \($0)?" } ?? "" }
}

/// A part of a rule.
struct FilterToken: Sendable {
  enum Kind: Hashable, Sendable {
    case open, close, openList, closeList, comma, end
    case text(String)
    case word(String)
  }

  let kind: Kind
  let column: Int

  /// A bare word in lower case.
  var word: String? {
    if case .word(let text) = kind { text.lowercasedASCII } else { nil }
  }

  /// For an error.
  fileprivate var shown: String {
    switch kind {
    case .open: "\"(\""
    case .close: "\")\""
    case .openList: "\"[\""
    case .closeList: "\"]\""
    case .comma: "\",\""
    case .end: "the end of the rule"
    case .text(let text), .word(let text): "\"\(text.prefix(60))\""
    }
  }

  private static let marks: [Character: Kind] = [
    "(": .open, ")": .close, "[": .openList, "]": .closeList, ",": .comma,
  ]

  /// Ends with the end of the rule.
  static func all(of text: String) throws(FilterRuleFault) -> [FilterToken] {
    let characters = Array(text)
    var tokens: [FilterToken] = []
    var index = 0
    while index < characters.count {
      let (character, start) = (characters[index], index)
      index += 1
      if character.isWhitespace { continue }
      if let mark = marks[character] {
        tokens.append(FilterToken(kind: mark, column: start + 1))
      } else if character == "\"" {
        guard let end = characters[index...].firstIndex(of: "\"") else {
          throw FilterRuleFault(column: start + 1, reason: "the text has no closing quotation mark")
        }
        tokens.append(FilterToken(kind: .text(String(characters[index..<end])), column: start + 1))
        index = end + 1
      } else {
        guard character.isOfWord else {
          throw FilterRuleFault(column: start + 1, reason: "unexpected character \"\(character)\"")
        }
        index = characters[index...].firstIndex { !$0.isOfWord } ?? characters.count
        tokens.append(FilterToken(kind: .word(String(characters[start..<index])), column: start + 1))
      }
    }
    return tokens + [FilterToken(kind: .end, column: characters.count + 1)]
  }
}

extension Character {
  fileprivate var isOfWord: Bool { isASCII && (isLetter || isNumber) || "-.$_".contains(self) }
}
