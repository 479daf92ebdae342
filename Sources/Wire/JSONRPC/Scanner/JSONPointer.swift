/// JSON Pointer (RFC 6901): the place of a value in a JSON text.
package enum JSONPointer {
  /// The pointer to the innermost member (including its name) or element that contains the byte at `offset`; "" for the
  /// whole text.
  ///
  /// Reads the text again, for error messages. If the text breaks the grammar before `offset`, returns the place of
  /// that error.
  package static func path(ofByteOffset offset: Int, in text: UnsafeBufferPointer<UInt8>) -> String {
    guard let base = text.baseAddress else { return "" }
    let scanner = JSONScanner(base: UnsafeRawPointer(base), count: text.count, limits: ScanLimits())
    var walk = PointerWalk(text: text, offset: offset, scanner: scanner)
    walk.run()
    return walk.tokens.reduce(into: "") { $0 += "/" + $1.text(in: text) }
  }

  /// Escapes `~` and `/` for a pointer.
  package static func escaped(_ token: String) -> String {
    guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return token }
    return token.reduce(into: "") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
  }
}

/// One step of a pointer.
private enum PointerToken {
  case name(StringSpan)
  case index(Int)

  func text(in message: UnsafeBufferPointer<UInt8>) -> String {
    switch self {
    case .name(let span): JSONPointer.escaped(span.text(in: message))
    case .index(let index): String(index)
    }
  }
}

/// Walks the text until it has passed the offset; then `tokens` is the place.
private struct PointerWalk {
  let text: UnsafeBufferPointer<UInt8>
  let offset: Int
  var scanner: JSONScanner
  var tokens: [PointerToken] = []

  mutating func run() {
    do throws(JSONSyntaxError) {
      scanner.skipWhitespace()
      guard try !enterValue() else { return }
      while scanner.containers.depth > 0 {
        if try leaveValue() { return }
      }
    } catch {}
  }

  /// Whether the offset is before the next byte to read.
  private var isPassed: Bool { offset < scanner.position }

  /// Descends to the first scalar or empty container. True if the place is found.
  private mutating func enterValue() throws(JSONSyntaxError) -> Bool {
    while true {
      switch scanner.byte {
      case ASCII.openBrace:
        guard try scanner.enterObject() else { return isPassed }
        if isPassed { return true }
        tokens.append(.name(try scanner.memberName()))
      case ASCII.openBracket:
        guard try scanner.enterArray() else { return isPassed }
        if isPassed { return true }
        tokens.append(.index(0))
      default:
        try scanner.skipScalar()
        return isPassed
      }
    }
  }

  /// From the end of a member or element to the end of the next one. True if the place is found.
  private mutating func leaveValue() throws(JSONSyntaxError) -> Bool {
    let last = tokens.popLast()
    guard try scanner.skipSeparator() else { return isPassed }
    if isPassed { return true }
    if scanner.containers.isObject {
      tokens.append(.name(try scanner.memberName()))
    } else {
      tokens.append(.index(next(after: last)))
    }
    return try enterValue()
  }

  private func next(after token: PointerToken?) -> Int {
    guard case .index(let index) = token else { return 0 }
    return index &+ 1
  }
}

/// Finds a value by the names of the members that lead to it.
enum JSONMember {
  /// The text of a value as it was written; `nil` if it does not exist. The scanner must have accepted `text`.
  static func text(at path: [String], in text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    var value: UnsafeBufferPointer<UInt8>? = text
    for name in path { value = value.flatMap { member(name, of: $0) } }
    return value
  }

  private static func member(
    _ name: String, of text: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8>? {
    guard let base = text.baseAddress, text.first == ASCII.openBrace else { return nil }
    var scanner = JSONScanner(base: UnsafeRawPointer(base), count: text.count, limits: ScanLimits())
    return try? find(name, of: text, with: &scanner)
  }

  private static func find(
    _ name: String, of text: UnsafeBufferPointer<UInt8>, with scanner: inout JSONScanner
  ) throws(JSONSyntaxError) -> UnsafeBufferPointer<UInt8>? {
    guard try scanner.enterObject() else { return nil }
    repeat {
      let isWanted = try scanner.memberName().text(in: text) == name
      let start = scanner.position
      try scanner.skipValue()
      if isWanted { return text.part(start..<scanner.position) }
    } while try scanner.skipSeparator()
    return nil
  }
}
