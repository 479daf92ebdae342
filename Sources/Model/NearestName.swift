extension Collection<String> {
  /// The name that somebody most likely meant: right but for case, else with the fewest letters wrong. Nil when nothing
  /// is near, and for a name over 64 bytes.
  package func nearest(to name: String) -> String? {
    guard let wanted = WantedName(name) else { return nil }
    return wanted.nearest(among: map(KnownName.init))
  }
}

/// A name that others are compared with, its letters in lower case.
package struct KnownName: Sendable {
  package let name: String
  fileprivate let letters: [UInt8]
  /// What follows the last dot.
  fileprivate let member: [UInt8]

  package init(_ name: String) {
    self.name = name
    letters = Array(name.lowercasedASCII.utf8)
    member = Array(letters[(letters.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0)...])
  }
}

/// A name that is not known, made ready to be compared with many that are.
///
/// One comparison costs a few operations for each letter of the known name (Myers, "A fast bit-vector algorithm for
/// approximate string matching", in Hyyrö's form for whole strings), so that a flood of wrong names stalls nobody.
package struct WantedName {
  /// The bits of a word.
  private static let longest = 64

  private let known: KnownName
  /// For each byte, where it stands in the name.
  private let places: [UInt64]

  /// Nil for an empty name, and for one over 64 bytes.
  package init?(_ name: String) {
    guard (1...Self.longest).contains(name.utf8.count) else { return nil }
    known = KnownName(name)
    places = known.letters.enumerated().reduce(into: [UInt64](repeating: 0, count: 256)) { places, letter in
      places[Int(letter.element)] |= 1 << UInt64(letter.offset)
    }
  }

  /// Right but for case, else with the fewest letters wrong, a quarter of them at most.
  package func nearest(among names: [KnownName]) -> String? {
    if let same = names.first(where: { $0.letters == known.letters }) { return same.name }
    var nearest: String?
    var most = known.letters.count / 4
    for candidate in names {
      guard let distance = distance(to: candidate.letters, atMost: most) else { continue }
      nearest = candidate.name
      if distance == 0 { break }
      most = distance - 1
    }
    return nearest
  }

  /// As above; but a name with the same last part comes before one that only looks alike.
  package func nearest(amongDotted names: [KnownName]) -> String? {
    if let same = names.first(where: { $0.letters == known.letters }) { return same.name }
    return names.first { $0.member == known.member }?.name ?? nearest(among: names)
  }

  /// How many letters must be put in, taken out or changed (Levenshtein); nil when they are more than `most`.
  private func distance(to other: [UInt8], atMost most: Int) -> Int? {
    let count = known.letters.count
    guard most >= 0, abs(other.count - count) <= most else { return nil }
    let last: UInt64 = 1 << UInt64(count - 1)
    var (more, less) = (UInt64.max, UInt64(0))
    var distance = count
    for letter in other {
      let equal = places[Int(letter)]
      let vertical = equal | less
      let horizontal = (((equal & more) &+ more) ^ more) | equal
      var up = less | ~(horizontal | more)
      var down = more & horizontal
      if up & last != 0 { distance += 1 } else if down & last != 0 { distance -= 1 }
      up = up << 1 | 1
      down <<= 1
      more = down | ~(vertical | up)
      less = up & vertical
    }
    return distance <= most ? distance : nil
  }
}
