import COpenSSL

/// Bytes that lie in one piece, in memory of any kind: arrays, slices, secrets, raw buffers.
package protocol ByteSource {
  func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result
}

extension [UInt8]: ByteSource {
  @inlinable
  package func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
  }
}

extension ArraySlice<UInt8>: ByteSource {
  @inlinable
  package func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
  }
}

extension UnsafeRawBufferPointer: ByteSource {
  @inlinable
  package func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(self)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Clears in a way that the compiler keeps.
  func cleanse() {
    guard let baseAddress else { return }
    OPENSSL_cleanse(baseAddress, count)
  }
}
