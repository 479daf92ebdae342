/// Random changes of a file, done to a plain array too.
package struct Walk {
  package let seed: UInt64
  private var generator: SeededGenerator
  package private(set) var shadow: [UInt8] = []
  private static let longest = 400_000

  package init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(state: seed)
  }

  package enum Step {
    case read(count: Int, offset: Int)
    case write([UInt8], offset: Int)
    case truncate(Int)
  }

  package mutating func next() -> Step {
    let place = Int.random(in: 0...min(Self.longest, shadow.count + 9000), using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<4: return .read(count: count(), offset: place)
    case 4..<7: return .write(generator.bytes(count()), offset: place)
    case 7..<9: return .write(generator.bytes(count()), offset: shadow.count)
    default: return .truncate(place)
    }
  }

  /// The bytes that a read must give.
  package mutating func apply(_ step: Step) -> [UInt8] {
    switch step {
    case .read(let count, let offset): return Array(shadow.dropFirst(offset).prefix(count))
    case .write(let bytes, let offset):
      guard !bytes.isEmpty else { break }
      let end = max(shadow.count, offset + bytes.count)
      shadow += [UInt8](repeating: 0, count: end - shadow.count)
      shadow.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .truncate(let length):
      shadow = Array(shadow.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - shadow.count))
    }
    return []
  }

  /// Mostly small, at times more than one run of pages.
  private mutating func count() -> Int {
    Int.random(in: 0..<8, using: &generator) == 0
      ? Int.random(in: 0...300_000, using: &generator) : Int.random(in: 0...10_000, using: &generator)
  }
}
