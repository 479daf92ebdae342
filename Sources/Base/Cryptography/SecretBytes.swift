// Cryptography wraps libcrypto, which no other target imports. It has what mambridge needs and nothing beside:
// AES-256-GCM, HKDF, HMAC, SHA-256, scrypt, random numbers, signatures of tokens, and certificate chains for pins. It
// has no TLS.
//
// A key, a PIN or a passphrase is `SecretBytes`: locked into memory where the system allows it, left out of core
// dumps, and cleared at its end. It is never an Array or a String, which Swift may copy.
//
// A nonce is drawn from the kernel immediately before it is used, and never kept, because a resumed copy of this
// process's memory would use it again. An error names the operation and the reason, and no bytes. Tests/Vectors has
// Wycheproof's cases for all of it that can be compared.

import COpenSSL

/// A key, PIN or passphrase, in memory that is cleared when released. Never stored in an Array, String or Data.
package final class SecretBytes: @unchecked Sendable {  // never changed after creation
  package let count: Int
  private let memory: SecretMemory

  /// Zeros.
  package convenience init(count: Int) throws(CryptographyError) {
    try self.init(capacity: count) { _ throws(CryptographyError) in count }
  }

  package convenience init(copying bytes: UnsafeRawBufferPointer) throws(CryptographyError) {
    try self.init(capacity: bytes.count) { target throws(CryptographyError) in
      target.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// `fill` receives zeros and returns how many bytes are the secret. All bytes are cleared in the end.
  package init(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Int
  ) throws(CryptographyError) {
    guard capacity >= 0 else { throw CryptographyError(.wrongLength, in: "SecretBytes") }
    let memory = try SecretMemory(count: capacity)
    do throws(CryptographyError) {
      count = min(capacity, max(0, try fill(UnsafeMutableRawBufferPointer(start: memory.address, count: capacity))))
    } catch {
      memory.release()
      throw error
    }
    self.memory = memory
  }

  deinit { memory.release() }

  package static func random(count: Int) throws(CryptographyError) -> SecretBytes {
    try SecretBytes(capacity: count) { bytes throws(CryptographyError) in
      try Random.fillSecret(bytes)
      return bytes.count
    }
  }

  /// The address must not escape `body`.
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: memory.address, count: count))
  }
}

extension SecretBytes: ByteSource {
  package func withRawBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBytes(body)
  }
}

/// Compares in constant time.
extension SecretBytes: Equatable {
  package static func == (left: SecretBytes, right: SecretBytes) -> Bool { constantTimeEquals(left, right) }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  package var description: String { "SecretBytes" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Contiguous bytes in memory of any kind: arrays, slices, secrets, raw buffers.
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
  /// Clears memory in a way that the compiler does not remove.
  func cleanse() {
    guard let baseAddress else { return }
    OPENSSL_cleanse(baseAddress, count)
  }
}
