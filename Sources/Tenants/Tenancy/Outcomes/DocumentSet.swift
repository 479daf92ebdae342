/// A set of the documents of a tenant, by their numbers.
struct DocumentSet: Hashable, Sendable {
  private var words: [UInt64]

  /// An empty set for this number of documents.
  init(of count: Int) {
    words = Array(repeating: 0, count: (count + 63) / 64)
  }

  func contains(_ number: Int) -> Bool { words[number >> 6] & (1 << UInt64(number & 63)) != 0 }

  mutating func set(_ number: Int, _ isMember: Bool) {
    let bit: UInt64 = 1 << UInt64(number & 63)
    if isMember { words[number >> 6] |= bit } else { words[number >> 6] &= ~bit }
  }

  func meets(_ other: DocumentSet) -> Bool { zip(words, other.words).contains { $0 & $1 != 0 } }

  mutating func remove(_ other: DocumentSet) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  mutating func add(_ other: DocumentSet) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  func removing(_ other: DocumentSet) -> DocumentSet {
    var set = self
    set.remove(other)
    return set
  }

  func common(with other: DocumentSet) -> DocumentSet {
    var set = self
    for index in words.indices { set.words[index] &= other.words[index] }
    return set
  }

  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// Ascending.
  var numbers: [Int] {
    words.indices.flatMap { index in
      var (word, found) = (words[index], [Int]())
      while word != 0 {
        found.append(index << 6 + word.trailingZeroBitCount)
        word &= word - 1
      }
      return found
    }
  }
}
