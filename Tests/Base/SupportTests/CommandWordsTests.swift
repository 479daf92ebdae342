import Testing

@testable import Support

@Suite struct CommandWordsTests {
  @Test(
    "A quoted text is one word of a command line, whatever quotes and white space are in it",
    arguments: ["", "a", "a b", "o'brien", "'", "''", "\"", "a'b\"c'", " '\" \n", "é 漢"])
  func quoted(text: String) {
    #expect(CommandWords("program \(CommandWords.quoted(text)) end")?.words == ["program", text, "end"])
  }

  @Test(
    "A text that names no program, or has an open quote, is no command line",
    arguments: ["", " \t\n", "''", "'a", "a \"b'"])
  func invalid(text: String) {
    #expect(CommandWords(text) == nil)
  }
}
