import Support

/// How lines name accounts: iOS by hashes, Android by name and id.
enum AccountMark {
  private static let hash: StaticString = "CMARScrubbedIdentity:"
  private static let before: [StaticString] = ["updating account ", "enrollment result for package "]

  /// The account of a line, as the line writes it; `nil` if there is none, or if somebody removed it.
  static func account(in line: LogLine) -> String? {
    if let place = hash.withUTF8Buffer({ line.bytes.firstPlace(ofText: $0) }) {
      let digits = line.bytes[(place + hash.utf8CodeUnitCount)...].prefix { $0.isHexDigit }
      return digits.count == 64 ? String(decoding: digits, as: UTF8.self) : nil
    }
    for text in before {
      guard let place = text.withUTF8Buffer({ line.bytes.firstPlace(ofText: $0) }) else { continue }
      var rest = line.bytes[(place + text.utf8CodeUnitCount)...]
      if let user = rest.firstPlace(of: ", user ".utf8) { rest = rest[user.upperBound...] }
      let name = rest.prefix { !$0.isWhitespace && $0 != UInt8(ascii: ",") }
      let text = String(decoding: name.last == UInt8(ascii: ":") ? name.dropLast() : name, as: UTF8.self)
      return isRemoved(text) ? nil : text.lowercased()
    }
    return nil
  }

  static func isHash(_ account: String) -> Bool { account.utf8.count == 64 && account.utf8.allSatisfy(\.isHexDigit) }

  private static func isRemoved(_ name: String) -> Bool {
    name.utf8.count < 4 || name.includes("<") || name.includes("*") || name.lowercasedASCII.includes("xx")
      || name.lowercasedASCII.includes("removed") || name.lowercasedASCII.includes("redacted")
  }
}
