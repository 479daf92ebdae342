import JSONRPC
import Testing

@Suite("A message over a limit gets one error, with its id if it has one")
struct ScanLimitTests {
  static let head = #"{"jsonrpc":"2.0","method":"m","#

  @Test(
    "A message nested too deeply gets one error, with its id if it has exactly one valid id",
    arguments: [
      ("[[[1]]]", "[invalid notAnObject id=-]"),
      ("[[[[1]]]]", "limit nesting 3 id=-"),
      ("[[[{}]]]", "limit nesting 3 id=-"),
      ("[[[[", "limit nesting 3 id=-"),
      ("[[[[1}", "limit nesting 3 id=-"),
      (head + #""params":[[1]],"id":1}"#, "request m [[1]] id=1"),
      (head + #""params":[[[1]]],"id":1}"#, "limit nesting 3 id=1"),
      (head + #""id":"a","params":[[[[[1]]]]]}"#, #"limit nesting 3 id="a""#),
      (head + #""params":[[[1]]]}"#, "limit nesting 3 id=-"),
      (head + #""params":[[[1]]],"id":1,"id":2}"#, "limit nesting 3 id=-"),
      (head + #""params":[[[1]]],"id":[]}"#, "limit nesting 3 id=-"),
      (head + #""params":[[[1]]],"id":1"#, "limit nesting 3 id=-"),
      (head + #""params":[[[1]]],"id":1} x"#, "limit nesting 3 id=-"),
      (#"[{"id":1,"params":[[1]]}]"#, "limit nesting 3 id=-"),
    ])
  func nesting(_ text: String, _ expected: String) {
    #expect(described(text, limits: ScanLimits(nesting: 3)) == expected)
  }

  @Test(
    "The limit on values counts JSON values of every kind in a message, but not member names",
    arguments: [
      (
        "[1,2,3,4]",
        "[invalid notAnObject id=-; invalid notAnObject id=-; invalid notAnObject id=-; "
          + "invalid notAnObject id=-]"
      ),
      ("[1,2,3,4,5]", "limit values 5 id=-"),
      ("[[],{},null,true,\"\"]", "limit values 5 id=-"),
      (head + #""params":[],"id":1}"#, "request m [] id=1"),
      (head + #""params":[1],"id":1}"#, "limit values 5 id=1"),
      (head + #""params":{"a":1,"b":2},"id":1}"#, "limit values 5 id=1"),
    ])
  func values(_ text: String, _ expected: String) {
    #expect(described(text, limits: ScanLimits(values: 5)) == expected)
  }

  @Test(
    "A batch of 1,001 is refused", arguments: [(1, false), (999, false), (1000, false), (1001, true), (5000, true)])
  func batch(_ count: Int, _ isOver: Bool) {
    let text = "[" + Array(repeating: "{}", count: count).joined(separator: ",") + "]"
    let expected = isOver ? LimitExcess(.batch, 1000) : nil
    #expect(ScannedMessage.scan(text).excess == expected)
  }

  @Test("The id of a request may have 1,024 bytes, including quotes", arguments: [(1022, "\""), (1024, "")])
  func idLength(_ length: Int, _ quote: String) {
    let longest = quote + String(repeating: "1", count: length) + quote
    let tooLong = quote + String(repeating: "1", count: length + 1) + quote
    #expect(described("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":\(longest)}") == "request m - id=\(longest)")
    #expect(described("{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"id\":\(tooLong)}") == "invalid idTooLong id=-")
  }

  @Test("By default, a message may be nested 512 levels deep", arguments: [(512, false), (513, true)])
  func defaultNesting(_ depth: Int, _ isOver: Bool) {
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect((ScannedMessage.scan(text).excess == LimitExcess(.nesting, 512)) == isOver)
    let mixed = String(repeating: "[{\"a\":", count: depth / 2) + "[[]]"
    let closed = mixed + String(repeating: "}]", count: depth / 2)
    #expect(ScannedMessage.scan(closed).excess == LimitExcess(.nesting, 512))
  }

  @Test("By default, a message may have 1,000,000 values, and no more")
  func defaultValues() {
    let inner = Array(repeating: "1", count: 999_998).joined(separator: ",")
    #expect(ScannedMessage.scan("[[\(inner)]]").excess == nil)
    #expect(ScannedMessage.scan("[[\(inner),1]]").excess == LimitExcess(.values, 1_000_000))
  }

  @Test("A message that is nested 200,000 levels deep is one error and no stack overflow")
  func deep() {
    let open = String(repeating: "[", count: 200_000)
    let close = String(repeating: "]", count: 200_000)
    let objects = String(repeating: #"{"a":"#, count: 200_000)
    let excess = LimitExcess(.nesting, 512)
    #expect(ScannedMessage.scan(open).excess == excess)
    #expect(ScannedMessage.scan(open + close).excess == excess)
    #expect(ScannedMessage.scan(objects).excess == excess)
    #expect(described(Self.head + "\"params\":\(open + close),\"id\":9}") == "limit nesting 512 id=9")
    #expect(ScannedMessage.scan(open + close, limits: ScanLimits(nesting: 200_000)).excess == nil)
  }

  @Test("The JSON scanner matches opening and closing brackets at every depth")
  func containers() {
    for depth in [1, 62, 63, 64, 65, 66, 127, 128, 129, 200, 500] {
      let open = (0..<depth).map { $0 % 3 == 0 ? "{\"a\":" : "[" }.joined()
      let close = (0..<depth).reversed().map { $0 % 3 == 0 ? "}" : "]" }.joined()
      #expect(ScannedMessage.scan(open + "1" + close).syntaxError == nil)
      let wrong = close.replacing("}", with: ")", maxReplacements: 1)
      #expect(ScannedMessage.scan(open + "1" + wrong).syntaxError != nil)
      let swapped = String(close.dropLast()) + "]"
      #expect(ScannedMessage.scan(open + "1" + swapped).syntaxError?.offset == (open + "1" + close).utf8.count - 1)
    }
  }
}
