import PropertyList
import Support

/// The rule for the name of a URL scheme, and the names that get no copy.
enum URLSchemeName {
  private static let suffix = "-intunemam"

  /// The schemes of the SDK and of its sign-in library in lower case. Only these use them, so a copy would have no use.
  private static let ofSDK = Set(QuerySchemes.fixed).union([
    "msauth", "msauthv2", "msauthv3", "companyportal", "msauth.com.microsoft.intunemam",
  ])

  static func copy(of scheme: String) -> String { scheme + suffix }

  /// Schemes are compared without regard to case.
  static func isCopy(_ scheme: String) -> Bool { scheme.lowercased().hasSuffix(suffix) }

  /// The schemes at these places that get a copy. Throws for a text that is no scheme.
  static func own(in file: PropertyListFile, at path: PropertyListPath) throws(ConfiguratorError) -> [String] {
    var own: [String] = []
    for (index, text) in try file.strings(at: path).enumerated() where !text.isEmpty {
      guard isScheme(text) else {
        let key = (path + [.index(index)]).description
        throw ConfiguratorError(.notAScheme(text, key: key, advice: advice(on: text)), path: file.path)
      }
      if !isCopy(text), !ofSDK.contains(text.lowercased()) { own.append(text) }
    }
    return own
  }

  /// A build variable may stand for any part of a scheme: only Xcode knows its value.
  private static func isScheme(_ text: String) -> Bool { withoutVariables(text).isPlainScheme }

  /// The text with a letter for each build variable, `$(NAME)` or `${NAME}`.
  private static func withoutVariables(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "$") {
      result += rest[..<start]
      let body = rest[rest.index(after: start)...]
      let end = body.first == "(" ? body.firstIndex(of: ")") : body.first == "{" ? body.firstIndex(of: "}") : nil
      guard let end else { return result + rest[start...] }
      result += "x"
      rest = body[body.index(after: end)...]
    }
    return result + rest
  }

  private static func advice(on text: String) -> String {
    if isCopy(text) { return "Remove it: the copy of a scheme is added for you" }
    // A variable may contain a colon, as in "$(NAME:rfc1034identifier)".
    var (scheme, depth) = ("", 0)
    for character in text {
      if "({".contains(character) { depth += 1 }
      if ")}".contains(character) { depth -= 1 }
      if depth == 0, ":/?#".contains(character) { break }
      if !character.isWhitespace { scheme.append(character) }
    }
    if isScheme(scheme) { return "Write \"\(scheme)\"" }
    return "A scheme begins with a letter and contains only letters, digits, \"+\", \"-\" and \".\""
  }
}

extension String {
  fileprivate var isPlainScheme: Bool {
    guard let first = utf8.first, first.isLetter else { return false }
    return utf8.allSatisfy { $0.isAlphanumeric || "+-.".utf8.contains($0) }
  }
}
