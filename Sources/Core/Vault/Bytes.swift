import Cryptography
import Model

/// Reads the fields of a header one after another; `nil` if the bytes end too early.
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

  /// Skips the next bytes if they equal `expected`, and returns whether they did.
  mutating func takes(_ expected: [UInt8]) -> Bool {
    take(expected.count)?.elementsEqual(expected) ?? false
  }
}

extension UnsafeRawBufferPointer {
  static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}

extension UnsafeMutableRawBufferPointer {
  static var none: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: nil, count: 0) }

  func clear(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    UnsafeMutableRawBufferPointer(rebasing: self[range]).initializeMemory(as: UInt8.self, repeating: 0)
  }
}

extension [UInt8] {
  mutating func append(bigEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Lets `fill` set the bytes in place and return how many it has set.
  init(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Int
  ) throws(CryptographyError) {
    var failure: CryptographyError?
    self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      do throws(CryptographyError) {
        count = try fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<capacity]))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  mutating func withRawMutableBytes<Result>(
    _ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    try withUnsafeMutableBufferPointer { bytes throws(MAMError) in try body(UnsafeMutableRawBufferPointer(bytes)) }
  }
}
