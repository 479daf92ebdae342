import JSON

/// The text of an XML property list, edited in place. Unchanged parts keep every byte, including comments, order and
/// white space.
package struct PropertyListText: Sendable {
  package private(set) var bytes: [UInt8]
  package private(set) var root: PropertyListElement
  private var comments: [Range<Int>]

  package init(_ bytes: [UInt8]) throws(PropertyListError) {
    self.bytes = bytes
    let list = try XMLPropertyList(bytes)
    (root, comments) = (list.root, list.comments)
  }

  /// The raw text between the tags of a string, with its entities.
  package func rawText(at path: PropertyListPath) -> String? {
    guard let element = root.element(at: path), case .leaf(.string) = element.content else { return nil }
    return String(decoding: bytes[element.inner], as: UTF8.self)
  }

  /// Appends strings to an array, and creates the array if it does not exist.
  package mutating func append(
    _ strings: [String], toArrayAt path: PropertyListPath, comment: String
  ) throws(PropertyListError) {
    guard let array = root.element(at: path) else {
      return try set(.array(strings.map(JSONValue.string)), at: path, comment: comment)
    }
    try insert(into: array) { layout, indent in
      [layout.comment(comment)] + strings.map { layout.xml(.string($0), indent: indent) }
    }
  }

  /// Replaces a value, or appends it to its dictionary. Creates the dictionaries on the path.
  package mutating func set(
    _ value: JSONValue, at path: PropertyListPath, comment: String
  ) throws(PropertyListError) {
    if let element = root.element(at: path) {
      let layout = PropertyListLayout(of: root, in: bytes)
      let new = layout.xml(value, indent: bytes.indent(at: element.range.lowerBound))
      let kept = comments(in: element.range)
      try replace(element, of: path, by: new, comments: [layout.comment(comment)] + kept)
    } else {
      try add(value, at: path, comment: comment)
    }
  }

  /// Replaces the raw text between the tags of a string. The new text must be escaped.
  package mutating func setRawText(
    _ text: String, at path: PropertyListPath, comment: String
  ) throws(PropertyListError) {
    guard let element = root.element(at: path) else { return }
    let mark = PropertyListLayout(of: root, in: bytes).comment(comment)
    try replace(element, of: path, by: "<string>\(text)</string>", comments: [mark])
  }

  /// Removes an entry of a dictionary, including its line break. Comments in the entry stay.
  package mutating func remove(_ path: PropertyListPath) throws(PropertyListError) {
    guard let entry = entry(at: path) else { return }
    let range = entry.key.lowerBound..<entry.element.range.upperBound
    let gap = gap(before: range.lowerBound)
    let kept = comments(in: range).map { gap + $0 }.joined()
    try edit(range.lowerBound - gap.utf8.count..<range.upperBound, kept)
  }
}

extension PropertyListText {
  private func entry(at path: PropertyListPath) -> PropertyListElement.Entry? {
    guard case .key(let name)? = path.steps.last else { return nil }
    return root.element(at: PropertyListPath(path.steps.dropLast()))?.entry(named: name)
  }

  private func comments(in range: Range<Int>) -> [String] {
    comments.filter { range.contains($0.lowerBound) }.map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  /// The line break and indentation before an offset that begins its line; otherwise nothing.
  private func gap(before offset: Int) -> String {
    guard bytes.beginsLine(offset) else { return "" }
    let indent = bytes.indent(at: offset)
    let end = offset - indent.utf8.count - 1
    return (end > 0 && bytes[end - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n") + indent
  }

  /// Puts the comments before the key, on lines of their own if the key begins a line.
  private mutating func replace(
    _ element: PropertyListElement, of path: PropertyListPath, by new: String, comments: [String]
  ) throws(PropertyListError) {
    guard let key = entry(at: path)?.key.lowerBound else { return }
    let gap = gap(before: key)
    let kept = String(decoding: bytes[key..<element.range.lowerBound], as: UTF8.self)
    try edit(key..<element.range.upperBound, comments.map { $0 + gap }.joined() + kept + new)
  }

  private mutating func add(
    _ value: JSONValue, at path: PropertyListPath, comment: String
  ) throws(PropertyListError) {
    var (steps, value) = (path.steps, value)
    while case .key(let name)? = steps.popLast() {
      if let parent = root.element(at: PropertyListPath(steps)) {
        let members = JSONObject([(name, value)]).members
        return try insert(into: parent) { layout, indent in
          [layout.comment(comment)] + members.flatMap { layout.lines($0, indent) }
        }
      }
      value = .object(JSONObject([(name, value)]))
    }
  }

  /// Inserts after everything in the container, including comments. Uses separate lines unless the container is written
  /// without them.
  private mutating func insert(
    into container: PropertyListElement, _ lines: (PropertyListLayout, String) -> [String]
  ) throws(PropertyListError) {
    let layout = PropertyListLayout(of: root, in: bytes)
    let own = bytes.indent(at: container.range.lowerBound)
    if let first = container.firstChild {
      let isBlock = bytes.beginsLine(first)
      let style = isBlock ? layout : .inline
      let start = style.newline + (isBlock ? bytes.indent(at: first) : "")
      let end = contentEnd(of: container)
      return try edit(end..<end, lines(style, isBlock ? bytes.indent(at: first) : "").map { start + $0 }.joined())
    }
    let indent = own + layout.unit
    let text = lines(layout, indent).map { layout.newline + indent + $0 }.joined() + layout.newline + own
    if container.inner.lowerBound == container.range.upperBound {
      let name = if case .array = container.content { "array" } else { "dict" }
      try edit(container.range, "<\(name)>\(text)</\(name)>")
    } else {
      try edit(contentEnd(of: container)..<container.inner.upperBound, text)
    }
  }

  private func contentEnd(of container: PropertyListElement) -> Int {
    bytes[container.inner].lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? container.inner.lowerBound
  }

  private mutating func edit(_ range: Range<Int>, _ text: String) throws(PropertyListError) {
    var edited = bytes
    edited.replaceSubrange(range, with: text.utf8)
    self = try PropertyListText(edited)
  }
}
