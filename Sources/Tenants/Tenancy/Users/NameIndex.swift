import Model
import Support

/// Finds the positions of names by their hashes: 8 bytes a name.
struct NameIndex: Sendable {
  /// The hash of a name in the upper half, and its position in the lower one.
  private var entries: [UInt64] = []

  /// Call `sort` after the last name.
  mutating func add(_ name: String, at position: Int) {
    entries.append(UInt64(Self.hash(name)) << 32 | UInt64(UInt32(position)))
  }

  mutating func sort() { entries.sort() }

  /// The positions, in order, where the name may be: names with one hash are rarely different.
  func positions(of name: String) -> some Sequence<Int> {
    let hash = Self.hash(name)
    let first = entries.partitioningIndex { $0 >> 32 >= hash }
    return entries[first...].lazy.prefix { $0 >> 32 == hash }.map { Int($0 & 0xFFFF_FFFF) }
  }

  /// The first position where `isSame` finds the name of an earlier position, and that position; `nil` if all names
  /// differ.
  func firstRepetition(_ isSame: (Int, Int) -> Bool) -> (place: Int, first: Int)? {
    var found: (place: Int, first: Int)?
    var start = 0
    for index in entries.indices.dropFirst() {
      if entries[index] >> 32 != entries[start] >> 32 { start = index }
      let place = Int(entries[index] & 0xFFFF_FFFF)
      guard start < index, found.map({ place < $0.place }) ?? true else { continue }
      let earlier = entries[start..<index].lazy.map { Int($0 & 0xFFFF_FFFF) }
      if let first = earlier.first(where: { isSame($0, place) }) { found = (place, first) }
    }
    return found
  }

  /// Equal for texts that `==` calls equal, and without regard to the case of ASCII letters.
  private static func hash(_ name: String) -> UInt32 { UInt32(truncatingIfNeeded: name.lowercasedASCII.hashValue) }
}
