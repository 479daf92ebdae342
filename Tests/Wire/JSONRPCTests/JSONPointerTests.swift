import JSONRPC
import Testing

@Suite("A byte offset becomes a JSON pointer")
struct JSONPointerTests {
  private static let text = #"{"account": [{"id": 1, "a/b": [true, {}]}, "x"] , "\u0069~": {"": null}, "é": 5}"#

  @Test(
    "JSONPointer.path names the innermost member or element that contains the byte offset",
    arguments: [
      (text, "{\"acc", ""), (text, "\"account", "/account"), (text, ": [{", "/account"), (text, "[{", "/account"),
      (text, "{\"id\"", "/account/0"), (text, "\"id", "/account/0/id"), (text, "1", "/account/0/id"),
      (text, ", \"a/b", "/account/0"), (text, "\"a/b", "/account/0/a~1b"), (text, "true", "/account/0/a~1b/0"),
      (text, ", {}", "/account/0/a~1b"), (text, "{}", "/account/0/a~1b/1"), (text, "}]", "/account/0/a~1b/1"),
      (text, "]}", "/account/0/a~1b"), (text, "}, \"x", "/account/0"), (text, "\"x", "/account/1"),
      (text, "] ,", "/account"),
      (text, " , ", ""), (text, "\"\\u0069", "/i~0"), (text, "null", "/i~0/"), (text, "\"é", "/é"), (text, "5", "/é"),
      ("[0,1,[2,3]]", "3", "/2/1"), ("[0,1,[2,3]]", "]]", "/2"), (" 17 ", "7", ""), ("{}", "}", ""),
      ("[[]]", "]]", "/0"),
      ("[{\"a\":01}]", "1}", "/0"),
    ])
  func path(_ text: String, _ place: String, _ expected: String) throws {
    let range = try #require(text.range(of: place))
    #expect(pointer(text.utf8.distance(from: text.startIndex, to: range.lowerBound), in: text) == expected)
  }

  @Test("JSONPointer.path is empty for an offset outside the text", arguments: [-1, 5, 100, .min, .max])
  func outside(_ offset: Int) {
    #expect(pointer(offset, in: "[[1]]") == "")
  }

  @Test("JSONPointer.path handles 100,000 nested arrays without a stack overflow")
  func deep() {
    let text = String(repeating: "[", count: 100_000) + "1" + String(repeating: "]", count: 100_000)
    #expect(pointer(100_000, in: text).utf8.count == 200_000)
  }

  private func pointer(_ offset: Int, in text: String) -> String {
    Array(text.utf8).withUnsafeBufferPointer { JSONPointer.path(ofByteOffset: offset, in: $0) }
  }
}

extension String {
  /// The first place of `other`.
  fileprivate func range(of other: String) -> Range<Index>? { ranges(of: other).first }
}
