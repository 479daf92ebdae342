import COpenSSL

/// HMAC with SHA-256 (RFC 2104), its key set up for many messages. Belongs to one thread at a time.
package final class HMACSHA256: @unchecked Sendable {  // the handle is not tied to a thread; its users take turns
  package static let length = 32
  private let handle: OpaquePointer
  private var isFresh = true

  /// A key of any length; an empty one counts as zeros.
  package init(key: some ByteSource) throws(CryptographyError) {
    let algorithm = try Library.hmac()
    guard let handle = EVP_MAC_CTX_new(algorithm) else { throw CryptographyError(.outOfMemory, in: "HMACSHA256") }
    self.handle = handle
    try key.withRawBytes { key throws(CryptographyError) in
      // No address would mean "the key as before".
      try check(key.isEmpty ? ([0] as [UInt8]).withRawBytes(setKey) : setKey(key), "HMACSHA256")
    }
  }

  deinit { EVP_MAC_CTX_free(handle) }

  /// Adds to the message.
  package func update(_ bytes: UnsafeRawBufferPointer) throws(CryptographyError) {
    try restartIfDone()
    guard !bytes.isEmpty else { return }
    try check(EVP_MAC_update(handle, bytes.octets, bytes.count), "HMACSHA256")
  }

  /// Ends the message; the next update begins another. The code takes 32 bytes.
  package func finish(into code: UnsafeMutableRawBufferPointer) throws(CryptographyError) {
    try require(code.count == Self.length, "HMACSHA256")
    try restartIfDone()
    isFresh = false
    var written = 0
    try check(EVP_MAC_final(handle, code.octets, &written, code.count), "HMACSHA256")
  }

  package func authenticate(_ message: some ByteSource) throws(CryptographyError) -> [UInt8] {
    try message.withRawBytes { message throws(CryptographyError) in try update(message) }
    var code = [UInt8](repeating: 0, count: Self.length)
    try code.withUnsafeMutableBufferPointer { code throws(CryptographyError) in
      try finish(into: UnsafeMutableRawBufferPointer(code))
    }
    return code
  }

  package static func authenticate(
    _ message: some ByteSource, key: some ByteSource
  ) throws(CryptographyError) -> [UInt8] {
    try HMACSHA256(key: key).authenticate(message)
  }

  private func restartIfDone() throws(CryptographyError) {
    guard !isFresh else { return }
    try check(EVP_MAC_init(handle, nil, 0, nil), "HMACSHA256")
    isFresh = true
  }

  private func setKey(_ key: UnsafeRawBufferPointer) -> Int32 {
    var digest = Array("SHA256".utf8CString)
    return OSSL_MAC_PARAM_DIGEST.withCString { name in
      digest.withUnsafeMutableBufferPointer { digest in
        let parameters = [
          OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        return EVP_MAC_init(handle, key.octets, key.count, parameters)
      }
    }
  }
}
