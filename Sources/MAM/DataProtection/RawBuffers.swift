import Cryptography

extension UnsafeRawBufferPointer {
  static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }
}

extension UnsafeMutableRawBufferPointer {
  static var none: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: nil, count: 0) }
}

extension [UInt8] {
  /// Filled in place by `fill`, which returns how many bytes it has set.
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
}
