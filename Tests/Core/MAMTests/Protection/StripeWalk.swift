import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// Random reads and writes of every second stripe of a file, and appends to another, while somebody does the same with
/// the other stripes. Stripes are shorter than pages: who loses another's write is found out.
struct StripeWalk {
  static let names = (stripes: "stripes", journal: "journal")
  private static let width = 1500
  private static let count = 200
  private static let size = width * count

  let parity: Int
  private var generator: SeededGenerator
  private let file: FileHandle
  private let journal: FileHandle
  private var shadow = [UInt8](repeating: 0, count: size)

  /// Both files are there; the first has its full length.
  init(parity: Int, seed: UInt64, _ core: Core, in folder: String) throws {
    self.parity = parity
    generator = SeededGenerator(state: seed + UInt64(parity))
    let open = { (name: String, flags: [FileFlag]) throws in
      try core.files.open(try #require(AbsolutePath(folder + "/" + name)), flags)
    }
    file = try open(Self.names.stripes, [.readWrite])
    journal = try open(Self.names.journal, [.readWrite, .append])
  }

  static func prepare(_ files: HandleFixture) throws {
    try files.create(names.stripes).truncate(to: UInt64(size))
    try files.create(names.journal).close()
  }

  mutating func run(steps: Int) throws {
    for step in 0..<steps {
      let start = (2 * Int.random(in: 0..<Self.count / 2, using: &generator) + parity) * Self.width
      let offset = Int.random(in: 0..<Self.width, using: &generator)
      let range = start + offset..<start + Int.random(in: offset..<Self.width, using: &generator)
      if Bool.random(using: &generator) {
        let bytes = generator.bytes(range.count)
        try file.write(bytes, at: UInt64(range.lowerBound))
        shadow.replaceSubrange(range, with: bytes)
      } else {
        let found = try file.read(range.count, at: UInt64(range.lowerBound))
        #expect(found == Array(shadow[range]), "parity \(parity), \(range)")
      }
      if step.isMultiple(of: 10) { try journal.write(Array("\(parity) \(step)\n".utf8)) }
    }
    try check()
  }

  /// All stripes of this one, as they were written.
  private func check() throws {
    let content = try file.content()
    for stripe in stride(from: parity, to: Self.count, by: 2) {
      let range = stripe * Self.width..<(stripe + 1) * Self.width
      #expect(content[range] == shadow[range], "stripe \(stripe)")
    }
  }

  /// Every line of both is whole, and those of one come in their order.
  static func checkJournal(_ files: HandleFixture, steps: Int) throws {
    let lines = String(decoding: try files.open(name: names.journal).content(), as: UTF8.self).split(separator: "\n")
    for parity in 0...1 {
      let expected = stride(from: 0, to: steps, by: 10).map { "\(parity) \($0)" }
      #expect(lines.filter { $0.hasPrefix("\(parity) ") }.map(String.init) == expected)
    }
    #expect(lines.count == 2 * ((steps + 9) / 10))
  }
}
