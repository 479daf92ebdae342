import Model
import Support

/// Splits a text into words, the gaps between them, and numbers or addresses that must be hidden. Takes time in
/// proportion to the length of the text.
struct SecretText: Sequence, IteratorProtocol {
  enum Piece {
    case gap(ArraySlice<UInt8>)
    case word(ArraySlice<UInt8>)
    case shape(SecretKind, ArraySlice<UInt8>)
  }

  let bytes: [UInt8]
  private var start = 0
  /// The end of the word that contains `start`, after a part of the word was split off.
  private var wordEnd = 0
  private let isVersion: Bool

  /// - Parameter isVersion: Whether the text is known to be a version, so that no number in it is an address.
  init(_ text: String, isVersion: Bool = false) {
    bytes = Array(text.utf8)
    self.isVersion = isVersion
  }

  mutating func skip(to index: Int) { start = index }

  mutating func next() -> Piece? {
    guard start < bytes.count else { return nil }
    if let (kind, end) = shape(at: start) {
      defer { start = end }
      return .shape(kind, bytes[start..<end])
    }
    if bytes[start].endsWord {
      let end = bytes[start...].firstIndex { !$0.endsWord } ?? bytes.count
      defer { start = end }
      return .gap(bytes[start..<end])
    }
    let word = nextWord()
    start = word.endIndex
    return .word(word)
  }

  private mutating func nextWord() -> ArraySlice<UInt8> {
    let isWhole = start >= wordEnd
    if isWhole { wordEnd = bytes[start...].firstIndex(where: \.endsWord) ?? bytes.count }
    let word = bytes[start..<wordEnd]
    let end = (isWhole ? endOfWhole(word) : word.isPath ? endOfPath(from: wordEnd) : nil) ?? endOfPart(word)
    // A period after a word does not belong to it.
    guard let last = bytes[start..<end].lastIndex(where: { $0 != UInt8(ascii: ".") }) else { return bytes[start..<end] }
    return bytes[start...last]
  }

  /// The end of a path or a token, whose numbers belong to it; `nil` for any other word. Scans the whole word, so it
  /// runs once per word.
  private func endOfWhole(_ word: ArraySlice<UInt8>) -> Int? {
    if word.mayHoldSpaces || word.dropFirstPart.mayHoldSpaces { return endOfPath(from: word.endIndex) }
    return word.isOpaque ? word.endIndex : nil
  }

  private func endOfPart(_ word: ArraySlice<UInt8>) -> Int {
    if let shape = firstShape(in: word.startIndex + 1..<word.endIndex) { return shape }
    return word.mayHoldSpaces || word.dropFirstPart.mayHoldSpaces ? endOfPath(from: word.endIndex) : word.endIndex
  }

  private func firstShape(in places: Range<Int>) -> Int? {
    var index = places.lowerBound
    while index < places.upperBound {
      if bytes[...].isGUID(at: index) {
        index += 36
      } else if shape(at: index) != nil {
        return index
      } else {
        index += 1
      }
    }
    return nil
  }

  /// A shape can begin where no letter, digit or escape such as `%2B` precedes it.
  private func shape(at index: Int) -> (SecretKind, Int)? {
    guard !isVersion, bytes[index].startsShape else { return nil }
    let isEscaped = index >= 3 && bytes[index - 3] == UInt8(ascii: "%")
    guard index == 0 || isEscaped || !bytes[index - 1].isAlphanumeric, !bytes[...].isGUID(at: index) else { return nil }
    for rule in SecretRules.shapes {
      if let end = rule.find(SecretReader(bytes, at: index)) { return (rule.kind, end) }
    }
    return nil
  }

  /// A path may contain spaces: following words that contain a slash or an extension belong to it.
  private func endOfPath(from start: Int) -> Int {
    var (end, known) = (start, start)
    while end < bytes.endIndex, bytes[end] == UInt8(ascii: " ") {
      let next = bytes[(end + 1)...].prefix { !$0.endsWord }
      guard !next.isEmpty, !next.isPath else { break }
      end = next.endIndex
      if next.contains(UInt8(ascii: "/")) || next.dropLast().contains(UInt8(ascii: ".")) { known = end }
    }
    return known
  }
}

extension UInt8 {
  /// The characters of both base64 alphabets, and the dots of a token.
  fileprivate var isOpaque: Bool { isDigit || isLetter || "+/_-=.".utf8.contains(self) }

  fileprivate var startsShape: Bool { isAlphanumeric || self == UInt8(ascii: "+") || self == UInt8(ascii: ":") }

  fileprivate var endsWord: Bool { self <= 0x20 || self == 0x7F || "\"'`,;()[]{}<>|".utf8.contains(self) }
}

extension ArraySlice<UInt8> {
  /// Whether it is an absolute path, of this system or of Windows.
  var isPath: Bool {
    guard count > 1, !starts(with: "//".utf8) else { return false }
    return first == UInt8(ascii: "/") || starts(with: "~/".utf8) || starts(with: #"\\"#.utf8)
      || first.map(\.isLetter) == true && dropFirst().starts(with: #":\"#.utf8)
  }

  /// The part after the first sign of `name=value`.
  fileprivate var dropFirstPart: ArraySlice<UInt8> {
    firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }.map { self[($0 + 1)...] } ?? []
  }

  /// Whether it looks like a relative path: it has a file extension, two slashes, or a well-known folder. Excludes
  /// dates, fractions, media types, versions such as `HTTP/1.1` and places in tenant.json.
  var isRelativePath: Bool {
    guard count > 2, contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }),
      !contains(where: { "=:?&%$".utf8.contains($0) })
    else { return false }
    if ["./", "../", #".\"#, #"..\"#].contains(where: { starts(with: $0.utf8) }) { return true }
    let parts = split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
    let first = String(decoding: parts[0], as: UTF8.self).lowercasedASCII
    if Self.tenantLists.contains(first), parts[1].allSatisfy(\.isDigit) { return false }
    if Self.userFolders.contains(first) { return true }
    guard parts.contains(where: { $0.contains(where: \.isLetter) || $0.contains { $0 >= 0x80 } }) else { return false }
    if parts.count == 2, Self.mediaTypes.contains(first) { return false }
    return parts.count > 2 || parts.last?.hasFileExtension == true
  }

  /// Whether it is a path that may continue after a space.
  fileprivate var mayHoldSpaces: Bool { isPath || isRelativePath && !hasFileExtension }

  private static var userFolders: Set<String> {
    ["home", "users", "documents", "desktop", "downloads", "pictures", "music", "videos", "onedrive", "library"]
  }
  private static var tenantLists: Set<String> { ["users", "assignments", "operations", "allowedaccounts"] }
  private static var mediaTypes: Set<String> {
    ["application", "text", "image", "audio", "video", "multipart", "message", "font", "model"]
  }

  private var hasFileExtension: Bool {
    guard let dot = lastIndex(of: UInt8(ascii: ".")), dot > startIndex else { return false }
    let ending = self[(dot + 1)...]
    return (1...5).contains(ending.count) && ending.allSatisfy(\.isAlphanumeric) && ending.contains(where: \.isLetter)
  }

  /// Whether it is, or contains, a mail address, also as a web address writes it.
  var isMailAddress: Bool { count > 2 && (contains(UInt8(ascii: "@")) || firstPlace(of: "%40".utf8) != nil) }

  /// The end without trailing backslashes, as in escaped JSON.
  var endOfName: Int { (lastIndex { $0 != UInt8(ascii: "\\") } ?? startIndex - 1) + 1 }

  /// Whether nobody would type the text by hand: a token, a key or a digest.
  var isOpaque: Bool {
    guard count >= 20, allSatisfy(\.isOpaque) else { return false }
    if starts(with: "eyJ".utf8) { return true }
    if count >= 32, allSatisfy(\.isHexDigit) { return true }
    let hasBothCases = contains { $0 &- UInt8(ascii: "a") < 26 } && contains { $0 &- UInt8(ascii: "A") < 26 }
    return count >= 24 && hasBothCases && contains(where: \.isDigit)
  }

  /// The range of the first `8-4-4-4-12` id.
  var firstGUID: Range<Int>? { indices.first(where: isGUID).map { $0..<$0 + 36 } }

  func isGUID(at start: Int) -> Bool { start + 36 <= endIndex && self[start..<start + 36].isGUID }
}
