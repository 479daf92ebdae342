/// Writes compact JSON text, value by value, and inserts the commas.
package struct JSONWriter {
  package var bytes: [UInt8]
  private var needsComma = false

  package init(reusing bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  /// Makes the writer empty again, and frees a buffer that has become large.
  package mutating func reset() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
    needsComma = false
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  package mutating func name(_ name: String) {
    separate()
    appendQuoted(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func member(_ name: String, _ value: some JSONEncodable) {
    self.name(name)
    value.encode(to: &self)
  }

  package mutating func null() { raw("null") }
  package mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  package mutating func string(_ value: String) {
    separate()
    appendQuoted(value)
    needsComma = true
  }

  /// Writes text that needs no escapes.
  package mutating func plainString(_ text: some Collection<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  package mutating func base64String(_ value: [UInt8]) {
    separate()
    reserve(Base64.encodedCount(value.count) + 2)
    bytes.append(UInt8(ascii: "\""))
    value.withUnsafeBytes { Base64.encode($0, into: &bytes) }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  package mutating func integer(_ value: Int64) {
    separate()
    appendDigits(value)
    needsComma = true
  }

  /// Writes the shortest text that reads back as the same double; null for a number that JSON cannot express.
  package mutating func number(_ value: Double) {
    guard value.isFinite else { return null() }
    separate()
    bytes.append(contentsOf: value.description.utf8)
    needsComma = true
  }

  /// Writes a complete JSON text.
  package mutating func raw(_ text: StaticString) {
    separate()
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    needsComma = true
  }

  package mutating func raw(_ text: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: text)
    needsComma = true
  }

  /// Makes room for a long text at once. Short texts grow the buffer like any array.
  private mutating func reserve(_ size: Int) {
    guard size > 1 << 12 else { return }
    bytes.reserveCapacity(bytes.count + max(size, bytes.count))
  }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func appendDigits(_ value: Int64) {
    guard value >= 0, value < 10 else { return bytes.append(contentsOf: String(value).utf8) }
    bytes.append(UInt8(ascii: "0") + UInt8(value))
  }

  private mutating func appendQuoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var start = 0
      while let index = UnsafeRawBufferPointer(utf8).firstEscaped(from: start) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
        appendEscape(utf8[index])
        start = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
    case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
    case 0x08: bytes.append(contentsOf: "\\b".utf8)
    case 0x0C: bytes.append(contentsOf: "\\f".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    default:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The place of the first byte that needs an escape. Looks at eight bytes at a time.
  fileprivate func firstEscaped(from start: Int) -> Int? {
    var at = start
    while at + 8 <= count, !loadUnaligned(fromByteOffset: at, as: UInt64.self).hasEscaped { at += 8 }
    while at < count, !self[at].needsEscape { at += 1 }
    return at < count ? at : nil
  }
}

extension UInt64 {
  /// Whether one of the eight bytes needs an escape.
  fileprivate var hasEscaped: Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Sets the high bit of the first byte below `limit`, which is at most 0x80, and if there is none, no high bit.
    func below(_ limit: UInt64, _ bytes: UInt64) -> UInt64 { (bytes &- ones &* limit) & ~bytes }
    let found =
      below(0x20, self) | below(1, self ^ ones &* UInt64(UInt8(ascii: "\"")))
      | below(1, self ^ ones &* UInt64(UInt8(ascii: "\\")))
    return found & ones << 7 != 0
  }
}

extension UInt8 {
  fileprivate var needsEscape: Bool {
    self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }
}
