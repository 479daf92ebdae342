import JSON
import Model
import Support

/// Replaces names, ids, hashes and addresses in texts: equal ones by equal ones, so that a report can be passed on.
package struct Replacements {
  private var known: [Kind: [String: String]] = [:]

  private enum Kind { case user, id, hash, address, machine }

  package init() {}

  package mutating func replaced(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): return .string(replaced(text))
    case .array(let elements): return .array(elements.map { replaced($0) })
    case .object(let object): return .object(JSONObject(object.members.map { ($0.name, replaced($0.value)) }))
    default: return value
    }
  }

  /// Word by word: a word ends at a space or at a sign that no name or address contains.
  package mutating func replaced(_ text: String) -> String {
    var (result, word) = ([UInt8](), [UInt8]())
    for byte in text.utf8 {
      guard byte.isWhitespace || Self.separators.contains(byte) else {
        word.append(byte)
        continue
      }
      result += replacement(of: word)
      result.append(byte)
      word = []
    }
    return String(decoding: result + replacement(of: word), as: UTF8.self)
  }

  private static let separators = Set("\"'`,;()[]{}<>|=".utf8)

  private mutating func replacement(of word: [UInt8]) -> [UInt8] {
    guard let kind = Self.kind(of: word) else { return word }
    let text = String(decoding: word, as: UTF8.self).lowercasedASCII
    if let known = known[kind]?[text] { return Array(known.utf8) }
    let number = (known[kind]?.count ?? 0) + 1
    let name = Self.name(kind, number, schemeOf: text)
    known[kind, default: [:]][text] = name
    return Array(name.utf8)
  }

  private static func kind(of word: [UInt8]) -> Kind? {
    guard word.count > 6 else { return nil }
    if word.firstPlace(of: "://".utf8) != nil { return .address }
    if word.contains(UInt8(ascii: "@")) { return .user }
    let digits = word.filter { $0 != UInt8(ascii: "-") }
    if digits.count == 32, word.count == 36, digits.allSatisfy(\.isHexDigit) { return .id }
    if word.count >= 32, word.allSatisfy(\.isHexDigit) { return .hash }
    return isMachine(word) ? .machine : nil
  }

  /// An address of IP, or the name of a host.
  private static func isMachine(_ word: [UInt8]) -> Bool {
    let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.count == 4, parts.allSatisfy({ 1...3 ~= $0.count && $0.allSatisfy(\.isDigit) }) { return true }
    let groups = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    if groups.count >= 3, groups.allSatisfy({ $0.count <= 4 && $0.allSatisfy(\.isHexDigit) }) { return true }
    let ends: Set = ["com", "net", "org", "edu", "gov", "local"]
    guard parts.count >= 2, let end = parts.last else { return false }
    return ends.contains(String(decoding: end, as: UTF8.self).lowercasedASCII)
      || parts.count >= 3 && word.allSatisfy { $0.isLetter || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  private static func name(_ kind: Kind, _ number: Int, schemeOf text: String) -> String {
    switch kind {
    case .user: return "user\(number)@contoso.example"
    case .id: return "a11ce000-0000-4000-8000-" + padded(number, to: 12)
    case .hash: return padded(number, to: 64)
    case .address:
      let scheme = text.firstPlace(of: "://").map { String(text[..<$0.lowerBound]) } ?? "https"
      return "\(scheme)://address\(number).contoso.example"
    case .machine: return "host\(number).contoso.example"
    }
  }

  private static func padded(_ number: Int, to length: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, length - digits.utf8.count)) + digits
  }
}
