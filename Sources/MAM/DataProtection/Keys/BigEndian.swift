extension [UInt8] {
  mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}

/// Takes the fields of a header one after the other; nil where the bytes end too early.
struct BigEndianReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type) -> Number? {
    take(MemoryLayout<Number>.size).map { Number(bigEndian: $0.loadUnaligned(as: Number.self)) }
  }

  /// Whether the next bytes are these.
  mutating func takes(_ expected: [UInt8]) -> Bool {
    take(expected.count)?.elementsEqual(expected) ?? false
  }
}
