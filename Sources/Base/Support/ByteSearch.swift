extension Collection<UInt8> {
  /// Where these bytes are first; `nil` if they are nowhere.
  package func firstPlace(of bytes: some Collection<UInt8>) -> Range<Index>? {
    var start = startIndex
    while !self[start...].starts(with: bytes) {
      guard start < endIndex else { return nil }
      formIndex(after: &start)
    }
    return start..<index(start, offsetBy: bytes.count)
  }
}

extension StringProtocol {
  /// Where the UTF-8 of this text is first; `nil` if it is nowhere. The standard library's search would compare characters:
  /// slower, and it takes no "/" before a combining mark for a "/".
  package func firstPlace(of text: String) -> Range<Index>? { utf8.firstPlace(of: text.utf8) }

  package func includes(_ text: String) -> Bool { firstPlace(of: text) != nil }
}
