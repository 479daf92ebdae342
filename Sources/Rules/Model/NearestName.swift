extension Collection<String> {
  /// The name that somebody most likely meant: one that differs only in case, or else the one with the fewest wrong
  /// letters. `nil` if no name is close, or if `name` is over 64 bytes.
  package func nearest(to name: String) -> String? {
    guard let wanted = WantedName(name) else { return nil }
    return wanted.nearest(among: map(KnownName.init))
  }

  /// Of user principal names, the one that somebody most likely meant: the only one with the part before the "@", or else
  /// the nearest, as a whole or by that part. `nil` if none is close.
  package func nearestUser(to name: String) -> String? {
    let short = name.userPart
    let namesakes = filter { $0.userPart == short }
    if namesakes.count == 1 { return namesakes.first }
    if let nearest = nearest(to: name) { return nearest }
    guard let near = map(\.userPart).nearest(to: short) else { return nil }
    let found = filter { $0.userPart == near }
    return found.count == 1 ? found.first : nil
  }
}

extension String {
  /// The part of a user principal name before the "@", in lower case.
  fileprivate var userPart: String { String(prefix { $0 != "@" }).lowercasedASCII }
}

/// A name to compare others with, its letters in lower case.
package struct KnownName: Sendable {
  package let name: String
  fileprivate let letters: [UInt8]
  /// The part after the last dot.
  fileprivate let member: [UInt8]

  package init(_ name: String) {
    self.name = name
    letters = Array(name.lowercasedASCII.utf8)
    member = Array(letters[(letters.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0)...])
  }
}

/// An unknown name, prepared for comparison with many known names.
///
/// One comparison costs a few operations for each letter of the known name (Myers, "A fast bit-vector algorithm for
/// approximate string matching", in Hyyrö's form for whole strings), so a flood of wrong names delays nobody.
package struct WantedName {
  /// The number of bits in a word.
  private static let longest = 64

  private let known: KnownName
  /// For each byte, its places in the name.
  private let places: [UInt64]

  /// `nil` if `name` is empty, or over 64 bytes.
  package init?(_ name: String) {
    guard (1...Self.longest).contains(name.utf8.count) else { return nil }
    known = KnownName(name)
    places = known.letters.enumerated().reduce(into: [UInt64](repeating: 0, count: 256)) { places, letter in
      places[Int(letter.element)] |= 1 << UInt64(letter.offset)
    }
  }

  /// The name that differs only in case, or else the one with the fewest wrong letters, at most a quarter of them.
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

  /// Like `nearest(among:)`, but prefers a name with the same last part over one that only looks similar.
  package func nearest(amongDotted names: [KnownName]) -> String? {
    if let same = names.first(where: { $0.letters == known.letters }) { return same.name }
    return names.first { $0.member == known.member }?.name ?? nearest(among: names)
  }

  /// How many letters must be inserted, removed or changed (Levenshtein distance); `nil` if more than `most`.
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
