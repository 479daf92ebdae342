import FoundationEssentials

/// base64 with padding, by FoundationEssentials, piece by piece: no second copy of a long text is ever held.
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

  /// Nil for text that is not as `encode` writes it.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var pieces = 0
    let isValid = forEachPiece(of: text, encodedCount(pieceBytes)) { piece in
      guard bytes.count == pieces * pieceBytes, let decoded = decode(piece) else { return false }
      bytes.append(contentsOf: decoded)
      pieces += 1
      return true
    }
    return isValid ? bytes : nil
  }

  /// Data takes "====" for a byte, and bits behind the last byte: the last group must be as it would be written.
  private static func decode(_ text: Data) -> Data? {
    guard let bytes = Data(base64Encoded: text) else { return nil }
    let rest = bytes.isEmpty ? 0 : (bytes.count - 1) % 3 + 1
    return bytes.suffix(rest).base64EncodedData() == text.suffix(4) ? bytes : nil
  }

  /// The pieces are not copied, and must not be kept. Stops where `body` returns false, and then returns false.
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
