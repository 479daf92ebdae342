import Testing

@testable import MAM

@Suite struct SecretRuleTests {
  private struct Example: Sendable, CustomTestStringConvertible {
    let kind: SecretKind
    let hides: String
    let keeps: String
    var testDescription: String { hides }

    init<Finder>(_ rule: SecretRule<Finder>) { (kind, hides, keeps) = (rule.kind, rule.hides, rule.keeps) }
  }

  private static let examples =
    SecretRules.shapes.map { Example($0) } + SecretRules.parts.map { Example($0) }
    + SecretRules.names.map { Example($0) }

  private static let patterns = SecretPatterns(pseudonyms: Pseudonyms(salt: Array(0..<16)), identifiers: [])

  @Test("Each scrubbing rule replaces the marked part of its example, and nothing else", arguments: examples)
  private func hidden(example: Example) throws {
    let pieces = example.hides.split(omittingEmptySubsequences: false) { "«»".contains($0) }.map(String.init)
    try #require(pieces.count == 3)
    let replacement =
      example.kind.label.map { Pseudonyms(salt: Array(0..<16)).name(for: pieces[1], label: $0) } ?? "***"
    #expect(Self.patterns.scrubbed(pieces.joined()) == pieces[0] + replacement + pieces[2])
  }

  @Test("Each scrubbing rule keeps the similar text of its example", arguments: examples)
  private func kept(example: Example) {
    #expect(Self.patterns.scrubbed(example.keeps) == example.keeps)
  }

  @Test("Every kind of secret has a scrubbing rule")
  func kinds() {
    #expect(Set(Self.examples.map(\.kind)) == Set(SecretKind.allCases))
  }
}
