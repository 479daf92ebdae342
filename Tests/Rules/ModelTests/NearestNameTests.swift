import Model
import TestSupport
import Testing

@Suite("Nearest known name") struct NearestNameTests {
  /// Levenshtein's distance as it is defined.
  private static func distance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let change = diagonal + (letter == other[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, min(diagonal, row[column]) + 1)
      }
    }
    return row[other.count]
  }

  private static func nearest(to wanted: String, among names: [String]) -> String? {
    let ranked = names.map { ($0, distance($0, wanted)) }
    return ranked.min { $0.1 < $1.1 }.flatMap { $0.1 <= wanted.utf8.count / 4 ? $0.0 : nil }
  }

  @Test("The nearest name is the one with the smallest edit distance, and the first among equals")
  func agrees() {
    var random = SeededGenerator(state: 7)
    for _ in 0..<3000 {
      let names = (0..<6).map { _ in Self.word(&random, of: Int.random(in: 1...64, using: &random)) }
      var letters = Array(names[0].utf8)
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let place = Int.random(in: 0..<letters.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: letters[place] = UInt8(ascii: "z")
        case 1 where letters.count > 1: letters.remove(at: place)
        default: if letters.count < 64 { letters.insert(UInt8(ascii: "y"), at: place) }
        }
      }
      let wanted = String(decoding: letters, as: UTF8.self)
      #expect(names.nearest(to: wanted) == Self.nearest(to: wanted, among: names), "\(wanted) among \(names)")
    }
  }

  private static func word(_ random: inout SeededGenerator, of count: Int) -> String {
    String((0..<count).map { _ in "abc".randomElement(using: &random) ?? "a" })
  }

  @Test(
    "The nearest method name is found in any case and by its last part, for names up to 64 bytes",
    arguments: [
      ("PIN.SET", "pin.set"), ("other.status", "pin.status"), ("pin.sat", "pin.set"), ("quite.different", nil),
      ("", nil), (String(repeating: "pin.set", count: 10), nil),
    ] as [(String, String?)])
  func dotted(_ wanted: String, _ nearest: String?) {
    let names = ["pin.set", "pin.status"].map(KnownName.init)
    #expect(WantedName(wanted)?.nearest(amongDotted: names) == nearest)
  }
}
