/// The text of a JSON value, of which parts are replaced. All else keeps its bytes: order, indentation, line ends.
///
/// Places are ranges of `bytes`, and valid until the next change.
package struct JSONText: Hashable, Sendable {
  package private(set) var bytes: [UInt8]
  private let layout: JSONLayout

  /// The member of an object.
  package struct Member: Hashable, Sendable {
    package let name: String
    /// From the quote of the name to the end of the value.
    fileprivate let whole: Range<Int>
    package let value: Range<Int>
  }

  /// `text` must follow the grammar.
  package init(_ text: String) {
    bytes = Array(text.utf8)
    layout = JSONLayout(bytes)
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The place of the whole value, without white space around it.
  package var root: Range<Int> {
    bytes.withUnsafeBytes { bytes in
      var cursor = TextCursor(bytes)
      return cursor.valuePlace() ?? 0..<bytes.count
    }
  }

  package func value(at place: Range<Int>) -> JSONValue? { try? JSONValue(parsing: bytes[place]) }

  /// The members of an object; `nil` for another value.
  package func members(at place: Range<Int>) -> [Member]? {
    children(at: place, UInt8(ascii: "{"), UInt8(ascii: "}")) { cursor -> Member? in
      let start = cursor.at
      guard let name = cursor.acceptedString(), cursor.skip(UInt8(ascii: ":")), let value = cursor.valuePlace() else {
        return nil
      }
      return Member(name: name, whole: start..<cursor.at, value: value)
    }
  }

  /// The elements of an array; `nil` for another value.
  package func elements(at place: Range<Int>) -> [Range<Int>]? {
    children(at: place, UInt8(ascii: "["), UInt8(ascii: "]")) { $0.valuePlace() }
  }

  package func member(_ name: String, at place: Range<Int>) -> Range<Int>? {
    members(at: place)?.first { $0.name == name }?.value
  }

  /// What `read` makes of each child. The cursor is at the beginning of the child.
  private func children<Child>(
    at place: Range<Int>, _ open: UInt8, _ close: UInt8, _ read: (inout TextCursor) -> Child?
  ) -> [Child]? {
    bytes.withUnsafeBytes { bytes in
      var cursor = TextCursor(UnsafeRawBufferPointer(rebasing: bytes[..<place.upperBound]), at: place.lowerBound)
      guard cursor.skip(open) else { return nil }
      if cursor.skip(close) { return [] }
      var found: [Child] = []
      repeat {
        cursor.skipWhiteSpace()
        guard let child = read(&cursor) else { return nil }
        found.append(child)
      } while cursor.skip(UInt8(ascii: ","))
      return found
    }
  }
}

// MARK: - Changes

extension JSONText {
  /// Sets a member of an object, in its place or, if it is new, at the end; `nil` removes it.
  package mutating func set(_ name: String, to value: JSONValue?, at place: Range<Int>) {
    let members = members(at: place) ?? []
    guard let index = members.firstIndex(where: { $0.name == name }) else {
      if let value { append(value, named: name, to: members.map(\.whole), at: place) }
      return
    }
    guard let value else { return remove(index, of: members.map(\.whole), at: place) }
    let old = members[index].value
    replace(old, with: layout.text(of: value, indent: indent(ofLineAt: old.lowerBound, in: place)))
  }

  /// Appends an element to an array.
  package mutating func append(_ value: JSONValue, at place: Range<Int>) {
    append(value, named: nil, to: elements(at: place) ?? [], at: place)
  }

  /// Removes an element of an array.
  package mutating func remove(_ index: Int, at place: Range<Int>) {
    remove(index, of: elements(at: place) ?? [], at: place)
  }

  private mutating func append(_ value: JSONValue, named name: String?, to items: [Range<Int>], at place: Range<Int>) {
    func text(_ indent: [UInt8]?) -> [UInt8] {
      let head = name.map { Array(JSONValue.string($0).jsonText.utf8) + layout.colon } ?? []
      return head + layout.text(of: value, indent: indent)
    }
    guard let first = items.first, let last = items.last else {
      guard let outer = indent(ofLineAt: place.lowerBound, in: nil) else {
        return replace(place.lowerBound + 1..<place.upperBound - 1, with: text(nil))
      }
      let inner = outer + layout.unit
      let block = layout.newLine + inner + text(inner) + layout.newLine + outer
      return replace(place.lowerBound + 1..<place.upperBound - 1, with: block)
    }
    let indent = indent(ofLineAt: last.lowerBound, in: place)
    let separator =
      items.count > 1
      ? Array(bytes[items[items.count - 2].upperBound..<last.lowerBound])
      : Array(",".utf8) + (indent == nil ? layout.space : Array(bytes[place.lowerBound + 1..<first.lowerBound]))
    replace(last.upperBound..<last.upperBound, with: separator + text(indent))
  }

  private mutating func remove(_ index: Int, of items: [Range<Int>], at place: Range<Int>) {
    let gone =
      items.count == 1
      ? place.lowerBound + 1..<place.upperBound - 1
      : index == 0 ? items[0].lowerBound..<items[1].lowerBound : items[index - 1].upperBound..<items[index].upperBound
    replace(gone, with: [])
  }

  private mutating func replace(_ place: Range<Int>, with new: [UInt8]) { bytes.replaceSubrange(place, with: new) }

  /// The white space at the beginning of a line; `nil` if `place` has no line of its own, so that what comes into it
  /// belongs into one line, too. With `nil`, if the whole text is one line.
  private func indent(ofLineAt offset: Int, in place: Range<Int>?) -> [UInt8]? {
    let before = bytes[(place?.lowerBound ?? 0)..<offset]
    guard layout.isIndented, place == nil || before.contains(UInt8(ascii: "\n")) else { return nil }
    let start = bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return Array(bytes[start..<offset].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
  }
}

/// How a JSON text is laid out.
private struct JSONLayout: Hashable, Sendable {
  /// Whether members have lines of their own.
  let isIndented: Bool
  /// One level.
  let unit: [UInt8]
  let newLine: [UInt8]
  /// Between a name and its value.
  let colon: [UInt8]
  /// After a comma in a line.
  let space: [UInt8]
  /// Whether short objects and lists have lines of their own, too.
  private let breaksShort: Bool

  private static let longestLine = 80

  init(_ bytes: [UInt8]) {
    var scan = LayoutScan()
    for byte in bytes { scan.read(byte) }
    isIndented = scan.unit != nil
    unit = scan.unit ?? [0x20, 0x20]
    newLine = bytes.firstIndex(of: UInt8(ascii: "\r")) == nil ? [0x0A] : [0x0D, 0x0A]
    space = isIndented || scan.hasSpace ? [0x20] : []
    colon = Array(":".utf8) + space
    breaksShort = !scan.hasInline
  }

  /// In one line if `indent` is `nil`.
  func text(of value: JSONValue, indent: [UInt8]?) -> [UInt8] {
    let short = Array(value.jsonText.utf8)
    guard let indent, breaksShort || short.count > Self.longestLine else { return short }
    let inner = indent + unit
    func block(_ open: String, _ close: String, _ items: [[UInt8]]) -> [UInt8] {
      let lines = items.joined(separator: Array(",".utf8) + newLine + inner)
      return Array(open.utf8) + newLine + inner + lines + newLine + indent + Array(close.utf8)
    }
    switch value {
    case .array(let elements) where !elements.isEmpty:
      return block("[", "]", elements.map { text(of: $0, indent: inner) })
    case .object(let object) where !object.isEmpty:
      return block(
        "{", "}",
        object.members.map {
          Array(JSONValue.string($0.name).jsonText.utf8) + colon + text(of: $0.value, indent: inner)
        })
    default: return short
    }
  }
}

/// Reads a JSON text for its layout.
private struct LayoutScan {
  private(set) var unit: [UInt8]?
  /// Whether an object or a list is in one line.
  private(set) var hasInline = false
  private(set) var hasSpace = false
  private var isInString = false
  private var isEscaped = false
  /// What was seen since the last bracket that opens; `nil` after something else than white space.
  private var afterOpen: [UInt8]?
  private var isAfterColon = false

  mutating func read(_ byte: UInt8) {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == .backslash {
        isEscaped = true
      } else if byte == .quote {
        isInString = false
      }
      return
    }
    if isAfterColon { hasSpace = hasSpace || byte == 0x20 }
    isAfterColon = byte == UInt8(ascii: ":")
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: afterOpen?.append(byte)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      note(isEmpty: false)
      afterOpen = []
    case UInt8(ascii: "}"), UInt8(ascii: "]"): note(isEmpty: true)
    default:
      note(isEmpty: false)
      isInString = byte == .quote
    }
  }

  /// The first byte after a bracket and white space.
  private mutating func note(isEmpty: Bool) {
    guard let space = afterOpen else { return }
    afterOpen = nil
    guard !isEmpty else { return }
    guard let line = space.lastIndex(of: 0x0A) else { return hasInline = true }
    if unit == nil { unit = Array(space[(line + 1)...]) }
  }
}
