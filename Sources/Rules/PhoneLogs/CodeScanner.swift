import Support

/// A code in a line.
struct CodeMention {
  let code: PhoneCode
  /// Whether the line says that it happened. A person who asks about a code, rules it out or lists several says nothing.
  let isAsserted: Bool
  /// Whether only the words around a number make it a status of the SDK. That counts if the input is about the SDK.
  let needsContext: Bool
}

/// Finds codes in lines. Numbers count only where their form or the words before them leave no doubt.
enum CodeScanner {
  /// A code, where it is, and whether what precedes the code names it, as in `status code: 225`.
  private struct Found {
    let code: PhoneCode
    let place: Range<Int>
    let isNamed: Bool
    var needsContext = false
  }

  static func mentions(in line: LogLine) -> [CodeMention] {
    let found = found(in: line)
    guard !found.isEmpty else { return [] }
    return found.map { found in
      // Entra's numbers differ in length, so that a cut one may be another.
      let isWhole = !line.mayBeCut || found.place.upperBound < line.bytes.endIndex || found.code.family != .entra
      // A number without a name is many things, also in a log.
      let isOwnName = [.entra, .androidEnrollment, .androidCompliance].contains(found.code.family)
      let isSaid =
        line.isLogged && isOwnName
        || found.isNamed && (line.isLogged || !isDoubted(found.place.lowerBound, in: line))
      return CodeMention(code: found.code, isAsserted: isWhole && isSaid, needsContext: found.needsContext)
    }
  }

  private static func found(in line: LogLine) -> [Found] {
    var result: [Found] = []
    let bytes = line.bytes
    for word in Words(bytes: bytes, start: line.textStart) {
      if let code = wordCode(bytes[word]) {
        let isMessage = code.family == .entra && bytes[word.upperBound...].starts(with: ":".utf8)
        result.append(Found(code: code, place: word, isNamed: isMessage || isValue(word.lowerBound, in: bytes)))
      } else if let code = negativeCode(word, in: bytes) {
        result.append(Found(code: code, place: word, isNamed: isValue(word.lowerBound - 1, in: bytes)))
      } else if let (code, isNamed, isCertain) = status(word, in: bytes) {
        result.append(Found(code: code, place: word, isNamed: isNamed, needsContext: !isCertain))
      }
    }
    if line.includes("com.microsoft.intunemam.authentication"), line.includes("Code=3"),
      let code = PhoneCode.named(PhoneCode.authentication3)
    {
      result.append(Found(code: code, place: 0..<0, isNamed: true))
    }
    if let place = notTargeted.withUTF8Buffer({ bytes.firstPlace(ofText: $0) }), let code = PhoneCode.named("225") {
      result.append(Found(code: code, place: place..<place, isNamed: true))
    }
    return result
  }

  /// What the SDK says in words for status 225.
  private static let notTargeted: StaticString =
    "account is licensed for Intune but is not targeted with MAM policy"

  /// Whether a colon, an equals sign, or the word "code" or "error" precedes a word, perhaps with a quote.
  private static func isValue(_ place: Int, in bytes: [UInt8]) -> Bool {
    let signs: Set<UInt8> = [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "(")]
    guard let end = bytes[..<place].lastIndex(where: { !$0.isWhitespace && !signs.contains($0) }) else { return false }
    if bytes[end] == UInt8(ascii: ":") || bytes[end] == UInt8(ascii: "=") { return true }
    let before = bytes[max(0, end - 8)...end].map(\.lowercasedLetter)
    return before.hasSuffix("code") || before.hasSuffix("error")
  }

  // MARK: Words

  /// Android's words, and Entra's numbers.
  private static func wordCode(_ word: ArraySlice<UInt8>) -> PhoneCode? {
    guard word.count >= 7, let first = word.first, UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first else { return nil }
    guard word.starts(with: "AADSTS".utf8) else {
      guard word.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || $0 == UInt8(ascii: "_") }) else {
        return nil
      }
      return PhoneCode.named(String(decoding: word, as: UTF8.self))
    }
    let digits = word.dropFirst(6)
    guard 4...7 ~= digits.count, digits.allSatisfy(\.isDigit) else { return nil }
    return PhoneCode.named(String(decoding: word, as: UTF8.self))
      ?? .unlisted(entra: String(decoding: digits, as: UTF8.self))
  }

  /// A number of MSAL: five digits after a minus sign that no letter, digit or bracket of an id precedes.
  private static func negativeCode(_ word: Range<Int>, in bytes: [UInt8]) -> PhoneCode? {
    guard word.count == 5, word.lowerBound > 0, bytes[word.lowerBound - 1] == UInt8(ascii: "-"),
      bytes[word].allSatisfy(\.isDigit)
    else { return nil }
    if word.lowerBound > 1, bytes[word.lowerBound - 2].isAlphanumeric { return nil }
    if word.upperBound < bytes.endIndex, bytes[word.upperBound] == UInt8(ascii: "-") { return nil }
    return PhoneCode.named("-" + String(decoding: bytes[word], as: UTF8.self))
  }

  // MARK: Statuses of enrollments on iOS

  /// A number of three digits that the words beside it call a status or an error. It is certain if the words are those of
  /// the SDK.
  private static func status(
    _ word: Range<Int>, in bytes: [UInt8]
  ) -> (PhoneCode, isNamed: Bool, isCertain: Bool)? {
    guard word.count == 3, bytes[word].allSatisfy(\.isDigit), !isPart(word, in: bytes),
      let code = PhoneCode.named(String(decoding: bytes[word], as: UTF8.self))
    else { return nil }
    let before = bytes[max(0, word.lowerBound - 48)..<word.lowerBound].map(\.lowercasedLetter)
    let after = bytes[word.upperBound..<min(bytes.count, word.upperBound + 24)].map(\.lowercasedLetter)
    guard !excluding.contains(where: { before.includes($0) }) else { return nil }
    let start = before.droppingSigns()
    if sentences.contains(where: { start.hasSuffix($0) }) { return (code, true, true) }
    let isNamed = before[start.endIndex...].contains { ":=-(".utf8.contains($0) }
    if certain.contains(where: { start.hasSuffix($0) }) { return (code, isNamed, true) }
    if likely.contains(where: { start.hasSuffix($0) }) { return (code, isNamed, false) }
    let end = after.drop { !$0.isLetter }
    return following.contains { end.starts(with: $0.utf8) } ? (code, false, false) : nil
  }

  /// Whether the digits belong to a longer number, a time or a version.
  private static func isPart(_ word: Range<Int>, in bytes: [UInt8]) -> Bool {
    let signs: Set<UInt8> = [UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "/")]
    if word.upperBound + 1 < bytes.endIndex, signs.contains(bytes[word.upperBound]),
      bytes[word.upperBound + 1].isDigit
    {
      return true
    }
    guard word.lowerBound > 1 else { return false }
    return signs.contains(bytes[word.lowerBound - 1]) && bytes[word.lowerBound - 2].isDigit
  }

  /// How the SDK itself says a status.
  private static let sentences = ["failed with status code", "enrollment result of", "received with status code"]
  private static let certain = [
    "enrollment status", "enrollment status code", "statuscode", "intunemamenrollmentstatus", "mam status",
  ]
  private static let likely = [
    "status", "status code", "error", "error code", "errorcode", "code", "result", "result of",
  ]
  private static let following = ["error", "status", "enrollment status"]
  private static let excluding = ["http", "legacy result code", "response", "os_status", "osstatus", "exit"]

  // MARK: What a person writes

  /// Whether somebody denies or supposes what follows. A sentence is shorter than what is looked at.
  private static func isDoubted(_ place: Int, in line: LogLine) -> Bool {
    let before = Array(line.bytes[max(0, place - 400)..<place])
    return Words(bytes: before, start: 0).contains { word in
      denials.contains(String(decoding: before[word].map(\.lowercasedLetter), as: UTF8.self))
    }
  }

  private static let denials: Set = [
    "not", "no", "never", "without", "isn", "doesn", "don", "didn", "wasn", "aren", "cannot", "instead", "unlike", "if",
    "might", "maybe", "would", "could", "is", "does", "what", "other", "another", "earlier", "previously",
  ]
}

/// The ranges of the words of a line: letters, digits and underscores.
struct Words: Sequence, IteratorProtocol {
  let bytes: [UInt8]
  private var place: Int

  init(bytes: [UInt8], start: Int) {
    (self.bytes, place) = (bytes, start)
  }

  mutating func next() -> Range<Int>? {
    while place < bytes.endIndex, !bytes[place].isOfWord { place += 1 }
    guard place < bytes.endIndex else { return nil }
    let start = place
    while place < bytes.endIndex, bytes[place].isOfWord { place += 1 }
    return start..<place
  }
}

extension UInt8 {
  /// Also a part of a character beyond ASCII, so that no code begins after one.
  fileprivate var isOfWord: Bool { isAlphanumeric || self == UInt8(ascii: "_") || self >= 0x80 }
}

extension [UInt8] {
  fileprivate func includes(_ text: String) -> Bool { firstPlace(of: text.utf8) != nil }

  fileprivate func hasSuffix(_ text: String) -> Bool {
    guard count >= text.utf8.count, suffix(text.utf8.count).elementsEqual(text.utf8) else { return false }
    return count == text.utf8.count || !self[count - text.utf8.count - 1].isLetter
  }

  /// Without what stands between a name and its value: `status code: (`, `statusCode = "`, `status code is -`.
  fileprivate func droppingSigns() -> [UInt8] {
    var result = self
    while true {
      while let last = result.last, !last.isAlphanumeric { result.removeLast() }
      guard let word = ["is", "was", "optional", "rawvalue"].first(where: { result.hasSuffix($0) }) else {
        return result
      }
      result.removeLast(word.utf8.count)
    }
  }
}
