import Model

/// A text as words and what stands between them.
struct SecretText: Sequence, IteratorProtocol {
  enum Piece {
    case gap(ArraySlice<UInt8>)
    case word(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  mutating func next() -> Piece? {
    guard let first = rest.first else { return nil }
    let isGap = first.endsWord
    var end = rest.firstIndex { $0.endsWord != isGap } ?? rest.endIndex
    if !isGap, rest[..<end].isPath { end = endOfPath(from: end) }
    // A full stop or comma behind a word is none of it.
    while !isGap, end - rest.startIndex > 1, rest[end - 1] == UInt8(ascii: ".") { end -= 1 }
    defer { rest = rest[end...] }
    return isGap ? .gap(rest[..<end]) : .word(rest[..<end])
  }

  /// A path may hold spaces: words behind one that have a slash or an ending belong to it.
  private func endOfPath(from start: Int) -> Int {
    var (end, known) = (start, start)
    while end < rest.endIndex, rest[end] == UInt8(ascii: " "), known - end < 4 {
      let next = rest[(end + 1)...].prefix { !$0.endsWord }
      guard !next.isEmpty, !next.isPath else { break }
      end = next.endIndex
      if next.contains(UInt8(ascii: "/")) || next.dropLast().contains(UInt8(ascii: ".")) { known = end }
    }
    return known
  }
}

extension UInt8 {
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  fileprivate var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
  fileprivate var isHex: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }

  /// Of base64 in both alphabets, and the dots of a token.
  fileprivate var isOpaque: Bool { isDigit || isLetter || "+/_-=.".utf8.contains(self) }

  fileprivate var endsWord: Bool { self <= 0x20 || self == 0x7F || "\"'`,;()[]{}<>|".utf8.contains(self) }
}

extension ArraySlice<UInt8> {
  /// Of this system or of Windows.
  var isPath: Bool {
    guard count > 1, !starts(with: "//".utf8) else { return false }
    return first == UInt8(ascii: "/") || starts(with: "~/".utf8) || starts(with: #"\\"#.utf8)
      || first.map(\.isLetter) == true && dropFirst().starts(with: #":\"#.utf8)
  }

  /// Whether what follows stands in quotes, apart from what was before.
  var isSpaceAndQuote: Bool { first == UInt8(ascii: " ") && contains { "\"'`".utf8.contains($0) } }

  var isWebScheme: Bool { ["http", "https"].contains(String(decoding: self, as: UTF8.self).lowercasedASCII) }

  /// Whether it is text that no one writes by hand: a token, a key or a digest.
  var isOpaque: Bool {
    guard count >= 20, allSatisfy(\.isOpaque) else { return false }
    if starts(with: "eyJ".utf8) { return true }
    if count >= 32, allSatisfy(\.isHex) { return true }
    let hasBothCases = contains { $0 &- UInt8(ascii: "a") < 26 } && contains { $0 &- UInt8(ascii: "A") < 26 }
    return count >= 24 && hasBothCases && contains(where: \.isDigit)
  }

  /// Where the first `8-4-4-4-12` is.
  var firstGUID: Range<Int>? {
    guard count >= 36 else { return nil }
    return (startIndex...(endIndex - 36)).first { self[$0..<$0 + 36].isGUID }.map { $0..<$0 + 36 }
  }

  private var isGUID: Bool {
    let dashes = [8, 13, 18, 23].map { startIndex + $0 }
    return indices.allSatisfy { dashes.contains($0) ? self[$0] == UInt8(ascii: "-") : self[$0].isHex }
  }
}
