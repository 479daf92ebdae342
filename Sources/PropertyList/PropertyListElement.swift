import JSON

/// A value in the text of an XML property list, and where it stands.
package struct PropertyListElement: Sendable {
  package enum Content: Sendable {
    case leaf(JSONValue)
    case array([PropertyListElement])
    case dictionary([Entry])
  }

  package struct Entry: Sendable {
    package let name: String
    /// From the first byte of `<key>` to behind `</key>`.
    let key: Range<Int>
    package let element: PropertyListElement
  }

  package let content: Content
  /// From the first byte of the opening tag to behind the closing one.
  let range: Range<Int>
  /// Between the tags; empty, and behind all of it, where one tag is both.
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

  /// Where the first child begins: the key's tag, in a dictionary.
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
