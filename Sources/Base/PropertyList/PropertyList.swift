// PropertyList reads the property lists of iOS, in XML and in binary, as JSON values, and changes XML lists without
// touching what it does not change: comments, order and indentation stay. It reads what an attacker may have written:
// depth, size and references in a circle are bounded, and an XML list has no entities of its own.
//
// Start with `PropertyList`, which recognizes the format. `BinaryPropertyList` follows the offsets of a binary list.
// `XMLScanner` finds the tags of an XML list, and `XMLPropertyList` keeps the place of each value in the text, so that
// `PropertyListText` and `PropertyListLayout` can insert a value as the rest of the file is indented.

import JSON

/// A property list, XML or binary, as JSON.
///
/// A date becomes text (in a binary list: seconds), and data becomes base64.
package enum PropertyList {
  package static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> JSONValue {
    isBinary(bytes) ? try BinaryPropertyList.parse(bytes) : try XMLPropertyList(bytes).root.value
  }

  package static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }
}

/// Why a property list cannot be read. Contains no content except the names of elements and keys.
package struct PropertyListError: Error, Equatable, Sendable {
  /// A place in the text of an XML list. Both numbers start at 1; the column counts characters, not bytes.
  package struct Place: Equatable, Sendable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  package let message: String
  /// `nil` for a binary list.
  package let place: Place?

  package init(_ message: String, at place: Place? = nil) {
    self.message = message
    self.place = place
  }
}

extension PropertyListError.Place {
  /// The place of the byte at `offset`.
  init(of offset: Int, in bytes: [UInt8]) {
    let before = bytes[..<min(offset, bytes.count)]
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
  }
}

/// A value in the text of an XML property list, and its place.
package struct PropertyListElement: Sendable {
  package enum Content: Sendable {
    case leaf(JSONValue)
    case array([PropertyListElement])
    case dictionary([Entry])
  }

  package struct Entry: Sendable {
    package let name: String
    /// From the first byte of `<key>` to the end of `</key>`.
    let key: Range<Int>
    package let element: PropertyListElement
  }

  package let content: Content
  /// From the first byte of the opening tag to the end of the closing one.
  let range: Range<Int>
  /// The range between the tags. For an empty tag such as `<array/>`, an empty range after it.
  let inner: Range<Int>

  package var value: JSONValue {
    switch content {
    case .leaf(let value): value
    case .array(let elements): .array(elements.map(\.value))
    case .dictionary(let entries): .object(JSONObject(entries.map { ($0.name, $0.element.value) }))
    }
  }

  package func element(at path: PropertyListPath) -> PropertyListElement? {
    path.steps.reduce(self) { $0?.child($1) }
  }

  func entry(named name: String) -> Entry? {
    guard case .dictionary(let entries) = content else { return nil }
    return entries.first { $0.name == name }
  }

  private func child(_ step: PropertyListPath.Step) -> PropertyListElement? {
    switch (step, content) {
    case (.key(let name), .dictionary): entry(named: name)?.element
    case (.index(let index), .array(let elements)) where elements.indices.contains(index): elements[index]
    default: nil
    }
  }

  /// The position of the first child; in a dictionary, of its key's tag.
  var firstChild: Int? {
    switch content {
    case .leaf: nil
    case .array(let elements): elements.first?.range.lowerBound
    case .dictionary(let entries): entries.first?.key.lowerBound
    }
  }

  var children: [PropertyListElement] {
    switch content {
    case .leaf: []
    case .array(let elements): elements
    case .dictionary(let entries): entries.map(\.element)
    }
  }
}
