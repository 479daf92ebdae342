/// The places of the elements of an array, which is a member of a JSON object.
///
/// They are found without parsing anything, so that a reader of a long list can parse one element at a time: the tree of
/// the whole list would take ten times the memory of its text.
package struct ArraySpans: Sendable {
  private struct Span {
    let start: UInt32
    let end: UInt32
  }

  /// The place between the brackets.
  package let content: Range<Int>
  private let spans: [Span]

  package var count: Int { spans.count }

  package subscript(index: Int) -> Range<Int> { Int(spans[index].start)..<Int(spans[index].end) }

  /// `nil` if the text is no object with such an array, if its structure is damaged, or if the name of a member has
  /// escapes.
  ///
  /// Only the structure is checked: the text follows the grammar if each element does, and the text without `content`.
  package init?(of name: StaticString, in text: UnsafeRawBufferPointer) {
    guard text.count <= UInt32.max else { return nil }
    var cursor = TextCursor(text)
    guard cursor.skip(UInt8(ascii: "{")), !cursor.isAt(UInt8(ascii: "}")) else { return nil }
    var found: (content: Range<Int>, spans: [Span])?
    repeat {
      guard let own = cursor.plainString(), cursor.skip(UInt8(ascii: ":")) else { return nil }
      if own.elementsEqual(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)) {
        guard found == nil, let elements = Self.elements(&cursor) else { return nil }
        found = elements
      } else {
        guard cursor.valuePlace() != nil else { return nil }
      }
    } while cursor.skip(UInt8(ascii: ","))
    guard cursor.skip(UInt8(ascii: "}")), cursor.isAtEnd, let found else { return nil }
    (content, spans) = found
  }

  private static func elements(_ cursor: inout TextCursor) -> (content: Range<Int>, spans: [Span])? {
    guard cursor.skip(UInt8(ascii: "[")) else { return nil }
    let start = cursor.at
    var spans: [Span] = []
    if cursor.skip(UInt8(ascii: "]")) { return (start..<cursor.at - 1, []) }
    repeat {
      guard let place = cursor.valuePlace() else { return nil }
      spans.append(Span(start: UInt32(place.lowerBound), end: UInt32(place.upperBound)))
    } while cursor.skip(UInt8(ascii: ","))
    return cursor.skip(UInt8(ascii: "]")) ? (start..<cursor.at - 1, spans) : nil
  }
}
