import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// The inputs that scripts/fuzz has learned from, without libFuzzer: one a line, in base64. And inputs that are made of the
/// seeds, the same in each run.
@Suite struct CorpusTests {
  private static let changes = getenv("MAMBRIDGE_FUZZ_CHANGES").flatMap { Int(String(cString: $0)) } ?? 200

  @Test(arguments: FuzzTarget.allCases)
  func `no input of the corpus and no changed seed is a finding`(_ target: FuzzTarget) async {
    await #expect(processExitsWith: .success) { [name = target.rawValue as String] in
      let target = try #require(FuzzTarget(rawValue: name))
      for input in try Self.corpus(of: target) + Self.changedSeeds(of: target) {
        input.withUnsafeBufferPointer { bytes in _ = checkOneInput(bytes, of: target) }
      }
    }
  }

  @Test func `the corpus of the wire has hundreds of inputs`() throws {
    #expect(try Self.corpus(of: .wire).count > 500)
  }

  /// The params are read in the sessions of the wire, too.
  private static func corpus(of target: FuzzTarget) throws -> [[UInt8]] {
    let name = target == .params ? FuzzTarget.wire.rawValue : target.rawValue
    let file = "\(#filePath)".dropLast("CorpusTests.swift".count) + "Corpus/\(name).corpus"
    guard access(String(file), F_OK) == 0 else { return [] }
    return try String(contentsOfFile: String(file), encoding: .utf8).split(separator: "\n").map { line in
      Array(try #require(Data(base64Encoded: String(line))))
    }
  }

  private static func changedSeeds(of target: FuzzTarget) -> [[UInt8]] {
    var generator = SeededGenerator(state: 39)
    let seeds = target.seeds
    return seeds
      + (0..<changes).map { number in
        var input = seeds[number % seeds.count]
        for _ in 0...Int.random(in: 0..<4, using: &generator) {
          input = Edits(generator.bytes(4)).applied(to: input.isEmpty ? generator.bytes(4) : input)
        }
        return input
      }
  }
}
