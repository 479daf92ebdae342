import HTTP
import Support
import Testing

@Suite struct HTTPMessageTests {
  private static let now = Timestamp(milliseconds: 784_111_777_000)  // 1994-11-06T08:49:37Z

  @Test("Names of headers are compared without regard to case, and setting one replaces all of its name")
  func names() {
    var headers = HTTPHeaders(["Accept": "a", "X-Other": "b"])
    headers.add("ACCEPT", "c")
    #expect(headers.all("accept") == ["a", "c"])
    #expect(headers["aCCept"] == "a")
    headers["accept"] = "d"
    #expect(headers.all("Accept") == ["d"])
    #expect(headers["x-other"] == "b")
  }

  @Test(
    "Retry-After is read as seconds or a date, and is ignored if it is neither",
    arguments: [
      ("120", .seconds(120)), (" 1.5 ", .milliseconds(1500)), ("0", .zero),
      ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sun, 06 Nov 1994 08:00:00 GMT", .zero),
      ("99999999999999", .seconds(1_000_000_000)), ("", nil), ("soon", nil),
      ("-5", nil), ("1e9", nil), ("nan", nil), ("inf", nil), ("0x10", nil), ("Sun, 06 Foo 1994 08:50:37 GMT", nil),
    ] as [(String, Duration?)])
  func retryAfter(_ text: String, _ expected: Duration?) {
    #expect(HTTPHeaders(["retry-after": text]).retryAfter(at: Self.now) == expected)
  }

  @Test(
    "The path of a request is decoded, and a plus sign in it stays",
    arguments: [
      ("/", []), ("/a+b/c", ["a+b", "c"]), ("/a%20b", ["a b"]), ("/a%2Fb", ["a/b"]), ("/a//b/", ["a", "", "b", ""]),
      ("a", nil), ("", nil), ("/%", nil), ("/%4", nil), ("/%zz", nil), ("/%00", nil), ("/%FF", nil), ("/a?b=%00", nil),
    ] as [(String, [String]?)])
  func path(_ text: String, _ expected: [String]?) {
    #expect(HTTPTarget(text)?.path == expected)
  }

  @Test("The query of a request is decoded, with a plus sign as a space, and keeps its order")
  func query() {
    let query = HTTPTarget("/a?b=c+d%2B&b=2&e&=f&g=h=i")?.query
    #expect(query?.map(\.name) == ["b", "b", "e", "", "g"])
    #expect(query?.map(\.value) == ["c d+", "2", "", "f", "h=i"])
  }
}
