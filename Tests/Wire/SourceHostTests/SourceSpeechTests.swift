import Testing

@testable import SourceHost

@Suite struct SourceSpeechTests {
  private func said(_ text: String, linesInPeriod: Int = 3) -> [String] {
    var (said, speech): ([String], SourceSpeech) = ([], SourceSpeech(linesInPeriod: linesInPeriod))
    speech.add(Array(text.utf8)[...]) { said.append($0) }
    speech.finish { said.append($0) }
    return said
  }

  @Test("Of a source that says too much, the first lines are passed on, and then how many more there were")
  func lines() {
    #expect(said("1\n2\n\n3") == ["1", "2", "3"])
    #expect(said("1\n2\n3\n4\n5\n6") == ["1", "2", "3", "(3 more lines)"])
    #expect(said("1\n2\n") == ["1", "2"])
  }

  @Test("A long line of a source is cut after 1,000 bytes")
  func length() {
    #expect(said(String(repeating: "x", count: 5000) + "\ny").map(\.count) == [1000, 1])
  }
}
