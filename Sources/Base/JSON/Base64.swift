import FoundationEssentials

/// base64 with padding, through FoundationEssentials. Works in pieces, so that a second copy of a long text never
/// exists.
enum Base64 {
  /// A multiple of three, so that only the last piece is padded.
  private static let pieceBytes = 48 << 10

  static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

  static func encode(_ bytes: UnsafeRawBufferPointer, into text: inout [UInt8]) {
    forEachPiece(of: bytes, pieceBytes) { piece in
      text.append(contentsOf: piece.base64EncodedData())
      return true
    }
  }

  /// `nil` for text that `encode` would not write, apart from line breaks (RFC 2045), which are ignored.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    if let bytes = decode(line: text) { return bytes }
    guard text.contains(where: isLineBreak) else { return nil }
    return decode(lines: text)
  }

  private static func decode(line: UnsafeRawBufferPointer) -> [UInt8]? {
    guard line.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count / 4 * 3)
    let isValid = forEachPiece(of: line, encodedCount(pieceBytes)) { append($0, to: &bytes) }
    return isValid ? bytes : nil
  }

  private static func decode(lines: UnsafeRawBufferPointer) -> [UInt8]? {
    let pieceCount = encodedCount(pieceBytes)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(lines.count / 4 * 3)
    var piece = Data(capacity: pieceCount)
    for byte in lines where !isLineBreak(byte) {
      piece.append(byte)
      guard piece.count == pieceCount else { continue }
      guard append(piece, to: &bytes) else { return nil }
      piece.removeAll(keepingCapacity: true)
    }
    return piece.isEmpty || append(piece, to: &bytes) ? bytes : nil
  }

  private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  /// Returns false if the piece is not base64, or comes after padding.
  private static func append(_ piece: Data, to bytes: inout [UInt8]) -> Bool {
    guard bytes.count.isMultiple(of: pieceBytes), let decoded = decode(piece) else { return false }
    bytes.append(contentsOf: decoded)
    return true
  }

  /// Data accepts "====" as a byte and ignores excess bits, so the last group must be exactly as it would be written.
  private static func decode(_ text: Data) -> Data? {
    guard let bytes = Data(base64Encoded: text) else { return nil }
    let rest = bytes.isEmpty ? 0 : (bytes.count - 1) % 3 + 1
    return bytes.suffix(rest).base64EncodedData() == text.suffix(4) ? bytes : nil
  }

  /// Passes the pieces without copying them; they must not be kept. Stops and returns false as soon as `body` returns
  /// false.
  @discardableResult
  private static func forEachPiece(
    of bytes: UnsafeRawBufferPointer, _ size: Int, _ body: (Data) -> Bool
  ) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
      guard let start = piece.baseAddress.map(UnsafeMutableRawPointer.init(mutating:)) else { return true }
      guard body(Data(bytesNoCopy: start, count: piece.count, deallocator: .none)) else { return false }
      rest = rest.dropFirst(size)
    }
    return true
  }
}

/// Bytes, which are base64 with padding on the wire. Line breaks in it are ignored.
package struct Base64Bytes: FieldValue, Hashable {
  package var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Base64Bytes {
    let decoded = node.withStringBytes { Base64.decode(UnsafeRawBufferPointer($0)) }
    guard let decoded else { throw .wrongType(expected: "a base64 string", node) }
    guard let bytes = decoded else { throw JSONDecodingError(.invalid("must be base64 with padding")) }
    return Base64Bytes(bytes)
  }

  package func encode(to writer: inout JSONWriter) {
    writer.base64String(bytes)
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "contentEncoding": "base64"]
  }
}

extension Base64Bytes {
  /// The bytes as base64 text.
  package var text: String {
    var text: [UInt8] = []
    text.reserveCapacity(Base64.encodedCount(bytes.count))
    bytes.withUnsafeBytes { Base64.encode($0, into: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// `nil` for text that is not base64 with padding, apart from line breaks.
  package init?(text: String) {
    var text = text
    guard let bytes = text.withUTF8({ Base64.decode(UnsafeRawBufferPointer($0)) }) else { return nil }
    self.init(bytes)
  }
}
