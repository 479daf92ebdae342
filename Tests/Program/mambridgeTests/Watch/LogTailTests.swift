import Testing

@testable import mambridge

@Suite struct LogTailTests {
  @Test(
    "LogTail finds the lines that were added after those it has seen, even if lines repeat",
    arguments: [
      ("abc", "abc", ""), ("abc", "abcd", "d"), ("abc", "abcde", "de"), ("abc", "bcd", "d"), ("abc", "cde", "de"),
      ("", "ab", "ab"), ("", "", ""), ("abc", "", ""), ("abc", "x", "x"), ("xaa", "xaaaa", "aa"), ("aaa", "aaaa", "a"),
      ("abab", "ababab", "ab"), ("abc", "abcabc", "abc"),
    ])
  func news(_ seen: String, _ newest: String, _ expected: String) {
    var tail = LogTail(after: Array(seen), isWhole: true)
    #expect(tail.news(in: Array(newest), isWhole: true).map { String($0) } == expected)
    #expect(tail.news(in: Array(newest), isWhole: true) == [])
    #expect(tail.news(in: Array(newest + "!"), isWhole: true) == ["!"])
  }

  @Test("LogTail reports a gap if none of the lines it has seen is left and the log goes back further")
  func gap() {
    var tail = LogTail(after: Array("abc"), isWhole: true)
    #expect(tail.news(in: Array("xyz"), isWhole: false) == nil)
    #expect(tail.news(in: Array("abcxyz"), isWhole: false) == Array("xyz"))
    var empty = LogTail<Character>(after: [], isWhole: true)
    #expect(empty.news(in: Array("xyz"), isWhole: false) == nil)
    empty = LogTail(after: Array("xyz"), isWhole: false)
    #expect(empty.news(in: Array("yz!"), isWhole: false) == ["!"])
  }

  @Test("LogTail finds each line of a growing log once, however many lines are added at a time")
  func pieces() {
    let lines = (0..<3000).map { "line \($0 % 7) \($0 / 10)" }
    var (tail, end, found) = (LogTail<String>(after: Array(lines[..<40]), isWhole: true), 40, Array(lines[..<40]))
    for step in [1, 0, 7, 350, 2, 0, 499, 100, 3, 200] {
      end += step
      let newest = Array(lines[..<end].suffix(500))
      found += tail.news(in: newest, isWhole: newest.count < 500) ?? ["gap"]
    }
    #expect(found == Array(lines[..<end]))
  }
}
