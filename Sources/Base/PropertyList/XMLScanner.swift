/// Reads the XML that property lists use: tags, text, entities, CDATA. Skips comments and declarations.
struct XMLScanner {
  enum Tag: Equatable {
    case open(String), close(String), empty(String)
  }

  private let bytes: [UInt8]
  private var position: Int
  /// The range of the last tag, from `<` to the end of `>`.
  private(set) var tag = 0..<0
  /// The ranges of comments.
  private(set) var comments: [Range<Int>] = []

  /// Skips a byte order mark.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// An error at the current position.
  func error(_ message: String) -> PropertyListError {
    PropertyListError(message, at: PropertyListError.Place(of: position, in: bytes))
  }

  /// The next tag. Only white space may precede it.
  mutating func nextTag() throws(PropertyListError) -> Tag {
    try skipMisc()
    guard position < bytes.count else { throw error("unexpected end of the text") }
    let start = position
    guard skip("<") else { throw error("found text, but expected a tag") }
    let next = try readTag()
    tag = start..<position
    return next
  }

  /// Only white space and comments may follow.
  mutating func expectEnd() throws(PropertyListError) {
    try skipMisc()
    guard position == bytes.count else { throw error("unexpected text after </plist>") }
  }

  /// Skips white space, comments and declarations.
  private mutating func skipMisc() throws(PropertyListError) {
    while position < bytes.count {
      if bytes[position] <= 0x20 {
        position += 1
      } else if try skipComment() {
        continue
      } else if skip("<?") || skip("<!DOCTYPE") {
        try skipPast(">")
      } else {
        return
      }
    }
  }

  /// Skips attributes.
  private mutating func readTag() throws(PropertyListError) -> Tag {
    let isClosing = skip("/")
    let start = position
    try skipPast(">")
    var inner = bytes[start..<position - 1]
    let isEmpty = inner.last == UInt8(ascii: "/")
    if isEmpty { inner.removeLast() }
    let name = String(decoding: inner.prefix { $0 > 0x20 }, as: UTF8.self)
    guard name.utf8.count <= 32, name.allSatisfy({ $0.isASCII && $0.isLetter }) else {
      throw error("this is not a valid tag")
    }
    return isClosing ? .close(name) : isEmpty ? .empty(name) : .open(name)
  }

  /// The text up to the next tag.
  mutating func text() throws(PropertyListError) -> String {
    var text: [UInt8] = []
    while position < bytes.count {
      if skip("<![CDATA[") {
        let start = position
        try skipPast("]]>")
        text += bytes[start..<position - 3]
      } else if try skipComment() {
        continue
      } else if bytes[position] == UInt8(ascii: "<") {
        break
      } else if skip("&") {
        text += try entity().utf8
      } else {
        text.append(bytes[position])
        position += 1
      }
    }
    guard let valid = String(validating: text, as: UTF8.self) else { throw error("this is not UTF-8") }
    return valid
  }

  private mutating func entity() throws(PropertyListError) -> String {
    let start = position
    try skipPast(";")
    let name = String(decoding: bytes[start..<position - 1].prefix(16), as: UTF8.self)
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let isHex = name.hasPrefix("#x")
      let code = name.hasPrefix("#") ? UInt32(name.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10) : nil
      guard let scalar = code.flatMap(Unicode.Scalar.init) else { throw error("this entity is unknown") }
      return String(Character(scalar))
    }
  }

  private mutating func skipComment() throws(PropertyListError) -> Bool {
    let start = position
    guard skip("<!--") else { return false }
    try skipPast("-->")
    comments.append(start..<position)
    return true
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    let isThere = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    if isThere { position += text.utf8CodeUnitCount }
    return isThere
  }

  private mutating func skipPast(_ text: StaticString) throws(PropertyListError) {
    while position < bytes.count {
      if skip(text) { return }
      position += 1
    }
    throw error("\(text) is missing")
  }
}
