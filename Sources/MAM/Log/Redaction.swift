import CGlibc
import Glibc
import Model

/// A text, and the text that replaces it.
struct Redaction: Sendable {
  private let needle: [UInt8]
  fileprivate let replacement: [UInt8]
  private let wholeWordsOnly: Bool

  /// A user principal name may be any text, even a single letter. A name without @ is replaced only as a whole word.
  init(identity: String, pseudonym: String) {
    needle = Array(identity.lowercasedASCII.utf8)
    replacement = Array(pseudonym.utf8)
    wholeWordsOnly = !identity.contains("@") && !identity.isGUID
  }

  var length: Int { needle.count }

  /// Returns where the text occurs in `text`, from left to right, without overlaps.
  fileprivate func places(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    guard text.count >= needle.count else { return [] }
    let haystack = text.map(\.lowercasedLetter)
    var places: [Range<Int>] = []
    var start = 0
    while let found = haystack.firstIndex(of: needle, from: start) {
      let place = found..<found + needle.count
      let isMatch = !wholeWordsOnly || haystack.isWord(place)
      if isMatch { places.append(place.shifted(by: text.startIndex)) }
      start = isMatch ? place.upperBound : found + 1
    }
    return places
  }
}

extension ArraySlice<Redaction> {
  func applied(to text: String) -> String {
    isEmpty ? text : String(decoding: applied(to: Array(text.utf8)[...]), as: UTF8.self)
  }

  /// Text that one redaction has written is not searched by the next.
  private func applied(to text: ArraySlice<UInt8>) -> [UInt8] {
    guard let redaction = first else { return Array(text) }
    var result: [UInt8] = []
    var start = text.startIndex
    for place in redaction.places(in: text) {
      result += dropFirst().applied(to: text[start..<place.lowerBound]) + redaction.replacement
      start = place.upperBound
    }
    return result + dropFirst().applied(to: text[start...])
  }
}

extension [UInt8] {
  fileprivate func firstIndex(of needle: [UInt8], from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, start < count,
        let found = cglibc_find(base + start, count - start, needle, needle.count)
      else { return nil }
      return found - base
    }
  }

  /// Whether no letter or digit is directly before or after the range.
  fileprivate func isWord(_ place: Range<Int>) -> Bool {
    let startsThere = place.lowerBound == 0 || !self[place.lowerBound - 1].isWordByte
    return startsThere && (place.upperBound == count || !self[place.upperBound].isWordByte)
  }
}

extension Range<Int> {
  fileprivate func shifted(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}

extension UInt8 {
  fileprivate var lowercasedLetter: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

  /// Whether the byte belongs to an ASCII letter or digit, or to any character beyond ASCII.
  fileprivate var isWordByte: Bool {
    self >= 0x80 || self &- UInt8(ascii: "0") < 10 || (self | 0x20) &- UInt8(ascii: "a") < 26
  }
}
