/// Values by the names of the members that lead to them.
enum JSONMember {
  /// The text of a value as it was written; nil when it is not there. `text` is one that the scanner has accepted.
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
