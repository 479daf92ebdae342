import Testing

@testable import Policy

@Suite("Sentences of explanations") struct SentenceTests {
  @Test(
    "A clause becomes a sentence with an initial capital and a final period",
    arguments: [
      ("saving is allowed", "Saving is allowed."), ("Saving", "Saving."), ("a", "A."), ("", "."), ("é b", "É b."),
      ("zß", "Zß."), ("e\u{301}a", "E\u{301}a."), ("ßa", "SSa."), ("4 settings", "4 settings."), ("{x", "{x."),
      ("`x", "`x."), ("the policy \"é\"", "The policy \"é\"."),
    ])
  func sentence(clause: String, sentence: String) {
    #expect(Array(clause.asSentence.utf8) == Array(sentence.utf8))
  }

  @Test(
    "A text is cut after 120 characters, however many bytes they have",
    arguments: [("x", 119), ("x", 120), ("x", 121), ("é", 60), ("é", 61), ("é", 120), ("é", 121), ("👩‍👩‍👧", 120)])
  func shortened(character: String, count: Int) {
    let text = String(repeating: character, count: count)
    let cut = String(repeating: character, count: 120) + "…"
    #expect(text.shortened == (count <= 120 ? text : cut))
  }
}
