import Model
import Support

/// Names and ids of accounts, for finding them in texts. A search costs hardly more for many names than for one.
///
/// A user principal name may be any text, even a single letter. A name without @ that is no GUID is found only as a
/// whole word.
package final class KnownNames: Sendable {
  private enum Content {
    /// Until the first search.
    case texts([String])
    case sorted(SortedNames)
  }

  private let content: Lock<Content>

  package convenience init(_ texts: [String]) { self.init(.texts(texts)) }

  private init(_ content: Content) {
    self.content = Lock(content)
  }

  func adding(_ others: [String]) -> KnownNames {
    switch content.withLock({ $0 }) {
    case .texts(let texts): KnownNames(texts + others)
    case .sorted(let names): KnownNames(.sorted(names.adding(others)))
    }
  }

  /// Replaces the names in the text by what `replacement` says for each. A longer name is found before a shorter one,
  /// wherever they overlap, and a text that was put in is not searched.
  func replaced(in text: String, by replacement: (String) -> String) -> String {
    let names = sorted
    guard !names.isEmpty else { return text }
    var search = NameSearch(text, names)
    return search.replaced(by: replacement)
  }

  private var sorted: SortedNames {
    switch content.withLock({ $0 }) {
    case .sorted(let names): return names
    case .texts(let texts):
      let new = SortedNames(texts)
      content.withLock { $0 = .sorted(new) }
      return new
    }
  }
}

/// Lower-case names in the order of their bytes, so that those with a common beginning are neighbours.
private struct SortedNames: Sendable {
  private(set) var names: [Name]
  /// Where the names with each first byte begin, and then where all end.
  private(set) var starts: [Int]

  struct Name: Sendable {
    let bytes: [UInt8]
    let isWord: Bool

    /// `text` is in lower case.
    init(_ text: String) {
      bytes = Array(text.utf8)
      isWord = !text.contains("@") && !text.isGUID
    }
  }

  init(_ texts: [String]) {
    let lowered = Set(texts.map(\.lowercasedASCII)).subtracting([""])
    let sorted = lowered.map(Name.init).sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    var starts = [Int](repeating: 0, count: 257)
    for name in sorted { starts[Int(name.bytes[0]) + 1] += 1 }
    for byte in 0..<256 { starts[byte + 1] += starts[byte] }
    (names, self.starts) = (sorted, starts)
  }

  /// For a few names, because each moves those after it.
  func adding(_ texts: [String]) -> SortedNames {
    var more = self
    for text in texts where !text.isEmpty {
      let name = Name(text.lowercasedASCII)
      let first = Int(name.bytes[0])
      let place = more.names.partitioningIndex(in: more.starts[first]..<more.starts[first + 1]) {
        !$0.bytes.lexicographicallyPrecedes(name.bytes)
      }
      if place < more.starts[first + 1], more.names[place].bytes == name.bytes { continue }
      more.names.insert(name, at: place)
      for byte in first + 1...256 { more.starts[byte] += 1 }
    }
    return more
  }

  var isEmpty: Bool { names.isEmpty }

  /// Calls `found` for each name with which the text goes on at `start`, the shortest first.
  func forEach(in text: [UInt8], at start: Int, _ found: (Int) -> Void) {
    var candidates = starts[Int(text[start])]..<starts[Int(text[start]) + 1]
    var depth = 1
    while !candidates.isEmpty {
      if names[candidates.lowerBound].bytes.count == depth {
        found(candidates.lowerBound)
        candidates = candidates.lowerBound + 1..<candidates.upperBound
      }
      guard start + depth < text.count else { return }
      candidates = narrowed(candidates, to: text[start + depth], at: depth)
      depth += 1
    }
  }

  /// The names among neighbours with a common beginning whose next byte, at `depth`, is `byte`.
  private func narrowed(_ candidates: Range<Int>, to byte: UInt8, at depth: Int) -> Range<Int> {
    let first = names.partitioningIndex(in: candidates) { $0.bytes[depth] >= byte }
    return first..<names.partitioningIndex(in: first..<candidates.upperBound) { $0.bytes[depth] > byte }
  }
}

/// One search of a text for names.
private struct NameSearch {
  private let text: [UInt8]
  private let lowered: [UInt8]
  private let known: SortedNames
  /// Whether each byte belongs to a longer name that was found.
  private var isTaken: [Bool] = []
  private var matches: [(start: Int, name: Int)] = []

  init(_ text: String, _ known: SortedNames) {
    self.text = Array(text.utf8)
    lowered = self.text.map(\.lowercasedLetter)
    self.known = known
  }

  mutating func replaced(by replacement: (String) -> String) -> String {
    find()
    guard !matches.isEmpty else { return String(decoding: text, as: UTF8.self) }
    var replacements: [Int: String] = [:]
    var result: [UInt8] = []
    var end = 0
    for match in matches.sorted(by: { $0.start < $1.start }) {
      let bytes = known.names[match.name].bytes
      let new = replacements[match.name] ?? replacement(String(decoding: bytes, as: UTF8.self))
      replacements[match.name] = new
      result += text[end..<match.start] + Array(new.utf8)
      end = match.start + bytes.count
    }
    return String(decoding: result + text[end...], as: UTF8.self)
  }

  private mutating func find() {
    var places: [Int: [Int]] = [:]
    for start in lowered.indices {
      known.forEach(in: lowered, at: start) { places[$0, default: []].append(start) }
    }
    guard !places.isEmpty else { return }
    isTaken = [Bool](repeating: false, count: text.count)
    let longestFirst = places.keys.sorted { first, second in
      (-known.names[first].bytes.count, first) < (-known.names[second].bytes.count, second)
    }
    for name in longestFirst { take(name, at: places[name] ?? []) }
  }

  /// Takes the places of a name from left to right, except where a longer name is.
  private mutating func take(_ name: Int, at starts: [Int]) {
    let (count, isWord) = (known.names[name].bytes.count, known.names[name].isWord)
    var own: [Range<Int>] = []
    for start in starts where start >= own.last?.upperBound ?? 0 {
      let place = start..<start + count
      // A longer one cannot lie between them.
      guard !isTaken[start], !isTaken[place.upperBound - 1], !isWord || isWholeWord(place) else { continue }
      own.append(place)
    }
    matches += own.map { ($0.lowerBound, name) }
    for place in own { for index in place { isTaken[index] = true } }
  }

  /// Whether no letter or digit is directly before or after the place, but the end of the text or a longer name.
  private func isWholeWord(_ place: Range<Int>) -> Bool {
    let (before, after) = (place.lowerBound - 1, place.upperBound)
    let startsThere = before < 0 || isTaken[before] || !lowered[before].isWordByte
    return startsThere && (after == text.count || isTaken[after] || !lowered[after].isWordByte)
  }
}

extension UInt8 {
  /// Whether the byte belongs to an ASCII letter or digit, or to any character beyond ASCII.
  fileprivate var isWordByte: Bool { self >= 0x80 || isAlphanumeric }
}
