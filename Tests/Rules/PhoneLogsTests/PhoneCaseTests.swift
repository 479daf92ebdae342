import TestSupport
import Testing

@testable import PhoneLogs

@Suite struct PhoneCaseTests {
  @Test("A decisive signature in a log names its cause", arguments: PhoneCase.decided)
  func decided(_ example: PhoneCase) {
    let verdict = examine(example.text).verdict
    #expect(verdict.claims.map(\.cause.number) == example.causes)
    let isDecided = verdict.isDecided
    #expect(isDecided)
  }

  @Test(
    "A log without a decisive signature claims no cause and lists at most three candidates",
    arguments: PhoneCase.undecided)
  func undecided(_ example: PhoneCase) {
    let verdict = examine(example.text).verdict
    let candidates = verdict.candidates.map(\.number)
    #expect(verdict.claims.map(\.cause.number) == [])
    #expect(candidates.count <= 3)
    for expected in example.candidates { #expect(candidates.contains(expected), "\(candidates)") }
  }

  @Test("No excerpt of a log without a decisive signature names a cause", arguments: PhoneCase.undecided)
  func cuts(_ example: PhoneCase) {
    // The success that ends a failure may be cut off; then the failure is the newest that the input shows.
    guard !example.source.contains("healed") else { return }
    let bytes = Array(example.text.utf8)
    var generator = SeededGenerator(state: 7)
    for end in bytes.indices {
      expectUndecided(bytes[..<end])
      expectUndecided(bytes[end...])
    }
    let lines = bytes.split(separator: 0x0A)
    for _ in 0..<100 {
      let some = lines.filter { _ in Bool.random(using: &generator) }
      let cut = some.map { line in
        let start = Int.random(in: line.indices, using: &generator)
        return Bool.random(using: &generator) ? line[start...] : line[..<start]
      }
      expectUndecided(Array(some.joined(separator: [0x0A])))
      expectUndecided(Array(cut.joined(separator: [0x0A])))
    }
  }

  private func expectUndecided(_ bytes: some Collection<UInt8>) {
    let text = String(decoding: Array(bytes), as: UTF8.self)
    let claims = examine(text).verdict.claims
    #expect(claims.map(\.cause.number) == [], "\(text)")
  }

  @Test(
    "Quote marks, curly quotes, mojibake and Markdown around a log do not change its cause",
    arguments: PhoneCase.decided)
  func pasted(_ example: PhoneCase) {
    let lines = example.text.split(separator: "\n", omittingEmptySubsequences: false)
    let quoted = lines.map { "> > \($0)\r" }.joined(separator: "\n")
    let curly = example.text.replacing("\"", with: "\u{201C}")
    let mojibake = example.text.replacing("\"", with: "\u{E2}\u{20AC}\u{153}")
    for text in [quoted, curly, mojibake, "`\(example.text)`\n", "**\(example.text)**\n"] {
      #expect(examine(text).verdict.claims.map(\.cause.number) == example.causes, "\(text)")
    }
  }
}

/// Reads a text as the command does.
func examine(_ text: String) -> Examination {
  var examiner = Examiner()
  let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
  for (index, line) in lines.enumerated() where index < lines.count - 1 || !line.isEmpty {
    examiner.add(line, mayBeCut: index == lines.count - 1)
  }
  return examiner.finish()
}
