import Glibc

/// An object with few members, which are strings without escapes, integers, booleans, null, or objects of such members: the
/// params of most requests.
///
/// It is read in the place where it was received. jansson would take ten times as long for a tree of copies.
final class FlatObject {
  struct Value {
    enum Kind: UInt8 { case string, integer, yes, no, null, object }

    let kind: Kind
    /// The text: of a string without its quotes, of an object with its braces.
    let bytes: UnsafeRawBufferPointer
  }

  private struct Member {
    var name: UnsafeRawBufferPointer
    var value: Value
  }

  private var members: InlineArray<8, Member>
  /// How many members there are.
  private(set) var count = 0

  /// `text` must follow the grammar, and outlive the object. `nil` if it is anything else, or gives a name twice.
  convenience init?(_ text: UnsafeRawBufferPointer) {
    var reader = FlatReader(text)
    self.init(&reader, holdsObjects: true)
  }

  /// Reads the object at the place of the reader, which may hold objects, or else has only plain values.
  fileprivate init?(_ reader: inout FlatReader, holdsObjects: Bool) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    members = InlineArray(repeating: Member(name: nothing, value: Value(kind: .null, bytes: nothing)))
    guard reader.skip(UInt8(ascii: "{")) else { return nil }
    if reader.skip(UInt8(ascii: "}")) { return }
    repeat {
      guard count < members.count, let name = reader.string(), index(of: name) == nil, reader.skip(UInt8(ascii: ":")),
        let value = reader.value(orObject: holdsObjects)
      else { return nil }
      members[count] = Member(name: name, value: value)
      count += 1
    } while reader.skip(UInt8(ascii: ","))
    guard reader.skip(UInt8(ascii: "}")) else { return nil }
  }

  func name(_ index: Int) -> String { String(decoding: members[index].name, as: UTF8.self) }

  subscript(index: Int) -> Value { members[index].value }

  subscript(name: UnsafeRawBufferPointer) -> Value? { index(of: name).map { members[$0].value } }

  private func index(of name: UnsafeRawBufferPointer) -> Int? {
    for index in 0..<count where members[index].name.count == name.count {
      guard let own = members[index].name.baseAddress, let other = name.baseAddress, name.count > 0 else {
        return index
      }
      if memcmp(own, other, name.count) == 0 { return index }
    }
    return nil
  }
}

/// Reads a text that follows the grammar from left to right.
private struct FlatReader {
  private let text: UnsafeRawBufferPointer
  private var at = 0

  init(_ text: UnsafeRawBufferPointer) { self.text = text }

  /// The next byte that is no white space, which is skipped; `nil` at the end.
  private mutating func next() -> UInt8? {
    while at < text.count && text[at] <= UInt8(ascii: " ") { at += 1 }
    return at < text.count ? text[at] : nil
  }

  /// Whether the next byte that is no white space is `byte`, which is then skipped.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard next() == byte else { return false }
    at += 1
    return true
  }

  /// `nil` if there is no string, or one with escapes.
  mutating func string() -> UnsafeRawBufferPointer? {
    guard skip(.quote) else { return nil }
    let start = at
    guard let end = text.offset(of: .quote, in: start..<text.count),
      text.offset(of: .backslash, in: start..<end) == nil
    else { return nil }
    at = end + 1
    return UnsafeRawBufferPointer(rebasing: text[start..<end])
  }

  /// A plain value or, if `orObject`, an object of plain values; `nil` if there is another value.
  mutating func value(orObject: Bool) -> FlatObject.Value? {
    switch next() {
    case .quote: string().map { FlatObject.Value(kind: .string, bytes: $0) }
    case UInt8(ascii: "{"): orObject ? object() : nil
    default: word()
    }
  }

  private mutating func object() -> FlatObject.Value? {
    let start = at
    guard FlatObject(&self, holdsObjects: false) != nil else { return nil }
    return FlatObject.Value(kind: .object, bytes: UnsafeRawBufferPointer(rebasing: text[start..<at]))
  }

  private mutating func word() -> FlatObject.Value? {
    let start = at
    while at < text.count, isPartOfScalar(text[at]) { at += 1 }
    guard at > start else { return nil }
    let word = UnsafeRawBufferPointer(rebasing: text[start..<at])
    return kind(of: word).map { FlatObject.Value(kind: $0, bytes: word) }
  }

  private func isPartOfScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private func kind(of word: UnsafeRawBufferPointer) -> FlatObject.Value.Kind? {
    switch word[0] {
    case UInt8(ascii: "t"): .yes
    case UInt8(ascii: "f"): .no
    case UInt8(ascii: "n"): .null
    default: isInteger(word) ? .integer : nil
    }
  }
}

extension FlatReader {
  /// Up to 18 digits, which are surely an Int64. A point or a capital E ends the word, and then the object is not flat.
  private func isInteger(_ word: UnsafeRawBufferPointer) -> Bool {
    let digits = word[0] == UInt8(ascii: "-") ? word.count - 1 : word.count
    return digits <= 18 && word.allSatisfy { $0 <= UInt8(ascii: "9") }
  }
}

extension FlatObject.Value {
  /// The value of an integer, which has at most 18 digits.
  var integer: Int64 {
    var magnitude: Int64 = 0
    for byte in bytes where byte != UInt8(ascii: "-") {
      magnitude = magnitude &* 10 &+ Int64(byte &- UInt8(ascii: "0"))
    }
    return bytes.first == UInt8(ascii: "-") ? -magnitude : magnitude
  }

  var jsonValue: JSONValue {
    switch kind {
    case .string: .string(String(decoding: bytes, as: UTF8.self))
    case .integer: .integer(integer)
    case .yes: .bool(true)
    case .no: .bool(false)
    case .null: .null
    case .object: JSONNode(self).value
    }
  }
}
