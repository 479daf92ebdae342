import JSON
import TestSupport
import Testing

@testable import mambridge

@Suite struct ExpectationParserTests {
  private func words(_ text: String) throws -> [[String]] {
    try ExpectationLexer.lines(of: Array(text.utf8)).map { $0.map(\.text) }
  }

  private func failure(_ text: String) -> ExpectationError? {
    failure(Array(text.utf8))
  }

  private func failure(_ content: [UInt8]) -> ExpectationError? {
    do throws(ExpectationError) {
      _ = try ExpectationParser.script(content, path: "a.mamtest")
      return nil
    } catch {
      return error
    }
  }

  @Test("In a .mamtest file, blanks separate unquoted words, and # begins a comment between words")
  func separates() throws {
    let lines = try words("one  two\t\"three \\u0034\" # five\n\n  a#b \"#\" c=\"d e\"\r\n# only a comment")
    #expect(lines == [["one", "two", "three 4"], ["a#b", "#", "c=d e"]])
  }

  @Test("In a .mamtest file, JSON can span lines, and the value after := is JSON")
  func json() throws {
    let lines = try words("a:={\"b\": [1, \"]}\",\n 2]} [ 1 ]\nc:=\"d e\" e=[1")
    #expect(lines == [["a:={\"b\": [1, \"]}\",\n 2]}", "[ 1 ]"], ["c:=\"d e\"", "e=[1"]])
  }

  @Test("The .mamtest parser skips a byte order mark")
  func mark() {
    #expect(failure("\u{FEFF}test a") == nil)
  }

  @Test(
    "An error in a .mamtest file names the line and the column",
    arguments: [
      ("test", 1, 1), ("test a\ntest a", 2, 1), ("\n  lunch -> allow", 2, 3), ("test \"a", 1, 6),
      ("test \"é\" \"b\"c", 1, 13), ("device a:={\"b\": [1}", 1, 19), ("device a:=[", 1, 11), ("set a=\u{0}b", 1, 7),
      ("set a\rb", 1, 6), ("device a:=[1] b:=[\n\n1]x", 3, 3), ("clock tomorrow", 1, 7), ("network up", 1, 9),
      ("launch -> maybe", 1, 11), ("launch -> challenge pin", 1, 21), ("tenant policy ../x.json a=1", 1, 15),
      ("policy.isSaveToAllowedForLocatio", 1, 1), ("policy.isPINRequired x", 1, 22), ("answer pin=", 1, 8),
      ("policy.isPINRequired -> unordered 1", 1, 35), ("policy.isPINRequired -> true because", 1, 1),
      ("network on off", 1, 12), ("test a at noon", 1, 11), ("test a\nunreviewed yet", 2, 12),
      ("test a\nunreviewd", 2, 1),
    ])
  func places(_ text: String, _ line: Int, _ column: Int) {
    #expect(failure(text)?.place == ExpectationPlace(line: line, column: column), "\(text)")
  }

  @Test("An error about an unknown word in a .mamtest file suggests the nearest word")
  func suggests() {
    #expect(failure("lunch -> allow")?.message.includes("Did you mean launch?") == true)
    #expect(failure("policy.isPINRequird")?.message.includes("Did you mean policy.isPINRequired?") == true)
  }

  @Test("The .mamtest parser rejects bytes that are not UTF-8, a file over 4 MiB and deeply nested JSON")
  func hostile() {
    #expect(failure([0x74, 0xFF])?.message.includes("UTF-8") == true)
    #expect(failure([UInt8](repeating: 0x20, count: ExpectationLexer.sizeLimit + 1))?.message.includes("4 MiB") == true)
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(failure("device a:=" + deep)?.message.includes("not valid JSON") == true)
  }

  @Test("The .mamtest parser reports the right column in a line of more than a million characters")
  func longLine() {
    let words = String(repeating: "é=1 ", count: 300_000)
    #expect(failure("device \(words){")?.place == ExpectationPlace(line: 1, column: 7 + 4 * 300_000 + 1))
    let texts = String(repeating: "\"é\",", count: 300_000)
    #expect(failure("device a:=[\(texts)\"")?.place == ExpectationPlace(line: 1, column: 11 + 4 * 300_000 + 1))
  }

  @Test("In a .mamtest file, the lines before the first test are the first steps of every test")
  func common() throws {
    let script = try ExpectationParser.script(
      Array("set a=1\ntest one\nnetwork off\ntest two at 2026-01-31T09:30:00Z\nas a@b.example".utf8), path: "a.mamtest")
    let actions = script.tests.map { $0.steps.map(\.action) }
    #expect(
      actions == [
        [.set("a=1"), .network(isOn: false)], [.set("a=1"), .actAs(Actor(user: "a@b.example"))],
      ])
    #expect(script.tests.map(\.time) == [nil, "2026-01-31T09:30:00Z"])
  }

  @Test(
    "A .mamtest line can expect success, a value, an unordered list, an error or a challenge",
    arguments: [
      ("", ExpectedResult.success), ("-> false", .word("false")), ("-> \"false\"", .value("false")),
      ("-> {\"a\": 1}", .value(["a": 1])), ("-> unordered [1, 2]", .unordered([1, 2])),
      ("-> error policyRequired", .error("policyRequired")), ("-> challenge enterPIN", .challenge("enterPIN")),
    ])
  func results(_ text: String, _ result: ExpectedResult) throws {
    let script = try ExpectationParser.script(Array("test a\npolicy.isPINRequired \(text)".utf8), path: "a.mamtest")
    let expected = ExpectedStep.Action.call(method: "policy.isPINRequired", parameters: [], result, because: nil)
    #expect(script.tests.first?.steps.first?.action == expected)
  }

  @Test("An unordered list expects the same elements in any order, each as often")
  func unordered() {
    let expected = ExpectedResult.unordered([1, 1, 2])
    for result: JSONValue in [[1, 1, 2], [2, 1, 1]] { #expect(expected.matches(["result": result])) }
    for result: JSONValue in [[1, 1, 2, 3], [1, 1, 2, 2], [1, 2], [1, 2, 2], [], 1] {
      #expect(!expected.matches(["result": result]), "\(result.jsonText)")
    }
  }

  @Test("The .mamtest parser turns random edits of a file into tests or an error, and never crashes")
  func edits() {
    let seed = Array(
      "set a=\"b\"\ntest \"é\" at 2026-01-31T09:30:00Z\ntenant user a@b x:=[{\"y\": 1}]\nlaunch -> block because p # c\n"
        .utf8)
    let pieces: [[UInt8]] = ["\"", "{", "]", "\\", "\n", "\r", "#", "->", ":=", "\u{0}", "test "].map { Array($0.utf8) }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<5_000 {
      var text = seed
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let place = Int.random(in: 0..<text.count, using: &generator)
        if Bool.random(using: &generator) {
          text.remove(at: place)
        } else {
          text.insert(contentsOf: pieces.randomElement(using: &generator) ?? [0xFF], at: place)
        }
      }
      if let error = failure(text) {
        #expect(error.place.line >= 1)
        #expect(error.place.column >= 1)
        #expect(error.message != "")
      }
    }
  }
}
