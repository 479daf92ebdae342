import Testing

@testable import Model

@Suite struct AbsolutePathTests {
  @Test(
    "A path that is not absolute, or contains a zero byte, is refused",
    arguments: ["", "a", "./a", "/a\u{0}b", "\u{0}/"])
  func refused(_ text: String) {
    #expect(AbsolutePath(text)?.text == nil)
  }

  @Test(
    "A path is kept without slashes at its end",
    arguments: [("/", "/"), ("//", "/"), ("/a", "/a"), ("/a//", "/a"), ("/a/../b", "/a/../b")])
  func kept(_ text: String, _ expected: String) {
    #expect(AbsolutePath(text)?.text == expected)
  }

  @Test(
    "A URL must begin with a scheme",
    arguments: [
      ("HTTPS://a", "https"), ("a+b-c.d:", "a+b-c.d"), ("://a", nil), ("1a:b", nil), ("a b:c", nil), ("a", nil),
    ])
  func scheme(_ text: String, _ expected: String?) {
    #expect(AbsoluteURL(text)?.scheme == expected)
  }

  @Test("A URL has at most 64 KiB")
  func longest() {
    let longest = "https:" + String(repeating: "a", count: 65_530)
    #expect(AbsoluteURL(longest)?.text == longest)
    #expect(AbsoluteURL(longest + "a")?.text.utf8.count == nil)
  }
}
