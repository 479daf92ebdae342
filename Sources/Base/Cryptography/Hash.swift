import COpenSSL

package enum SHA256 {
  package static let length = 32

  /// The digest buffer has 32 bytes.
  package static func digest(
    _ message: UnsafeRawBufferPointer, into digest: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    try require(digest.count == length, "SHA256")
    try check(EVP_Digest(message.baseAddress, message.count, digest.octets, nil, Library.sha256(), nil), "SHA256")
  }

  package static func digest(_ message: some ByteSource) throws(CryptographyError) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: length)
    try result.withUnsafeMutableBufferPointer { result throws(CryptographyError) in
      try message.withRawBytes { message throws(CryptographyError) in
        try digest(message, into: UnsafeMutableRawBufferPointer(result))
      }
    }
    return result
  }
}

/// HMAC with SHA-256 (RFC 2104), whose key is set up for many messages. Used by one thread at a time.
package final class HMACSHA256: @unchecked Sendable {  // the handle is not tied to a thread; its users take turns
  package static let length = 32
  private let handle: OpaquePointer
  private var isFresh = true

  /// A key of any length; an empty key counts as zeros.
  package init(key: some ByteSource) throws(CryptographyError) {
    let algorithm = try Library.hmac()
    guard let handle = EVP_MAC_CTX_new(algorithm) else { throw CryptographyError(.outOfMemory, in: "HMACSHA256") }
    self.handle = handle
    try key.withRawBytes { key throws(CryptographyError) in
      // A null address would mean "keep the key".
      try check(key.isEmpty ? ([0] as [UInt8]).withRawBytes(setKey) : setKey(key), "HMACSHA256")
    }
  }

  deinit { EVP_MAC_CTX_free(handle) }

  /// Appends to the message.
  package func update(_ bytes: UnsafeRawBufferPointer) throws(CryptographyError) {
    try restartIfDone()
    guard !bytes.isEmpty else { return }
    try check(EVP_MAC_update(handle, bytes.octets, bytes.count), "HMACSHA256")
  }

  /// Ends the message; the next update begins another. The code buffer has 32 bytes.
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

/// HKDF with SHA-256 (RFC 5869). Built on HMAC, because the library's own HKDF takes longer to set up than to run.
package enum HKDF {
  /// The maximum output for one key, in bytes.
  package static let maximumLength = 255 * HMACSHA256.length

  /// An empty salt counts as zeros.
  package static func extract(
    salt: some ByteSource, secret: some ByteSource
  ) throws(CryptographyError) -> SecretBytes {
    let hmac = try HMACSHA256(key: salt)
    try secret.withRawBytes { secret throws(CryptographyError) in try hmac.update(secret) }
    return try SecretBytes(capacity: HMACSHA256.length) { code throws(CryptographyError) in
      try hmac.finish(into: code)
      return code.count
    }
  }

  /// Fills `output` completely. `hmac` holds the key and can be reused.
  package static func expand(
    _ info: UnsafeRawBufferPointer, with hmac: HMACSHA256, into output: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    try require(output.count <= maximumLength, "HKDF.expand")
    var previous = UnsafeRawBufferPointer(start: nil, count: 0)
    var counter: UInt8 = 0
    var rest = output[...]
    while !rest.isEmpty {
      counter += 1
      try hmac.update(previous)
      try hmac.update(info)
      try update(hmac, counter)
      let block = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(HMACSHA256.length))
      rest = rest.dropFirst(block.count)
      try finish(hmac, into: block)
      previous = UnsafeRawBufferPointer(block)
    }
  }

  package static func expand(
    _ info: some ByteSource, key: some ByteSource, count: Int
  ) throws(CryptographyError) -> SecretBytes {
    let hmac = try HMACSHA256(key: key)
    return try SecretBytes(capacity: count) { output throws(CryptographyError) in
      try info.withRawBytes { info throws(CryptographyError) in try expand(info, with: hmac, into: output) }
      return output.count
    }
  }

  /// Extracts, then expands.
  package static func derive(
    salt: some ByteSource, secret: some ByteSource, info: some ByteSource, count: Int
  ) throws(CryptographyError) -> SecretBytes {
    try expand(info, key: extract(salt: salt, secret: secret), count: count)
  }

  private static func update(_ hmac: HMACSHA256, _ counter: UInt8) throws(CryptographyError) {
    try withUnsafeBytes(of: counter) { byte throws(CryptographyError) in try hmac.update(byte) }
  }

  /// The last block may be shorter than a code; the unused rest of the code is cleared.
  private static func finish(
    _ hmac: HMACSHA256, into block: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    guard block.count < HMACSHA256.length else { return try hmac.finish(into: block) }
    var whole: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    try withUnsafeMutableBytes(of: &whole) { whole throws(CryptographyError) in
      defer { whole.cleanse() }
      try hmac.finish(into: whole)
      block.copyMemory(from: UnsafeRawBufferPointer(rebasing: whole[..<block.count]))
    }
  }
}

/// Whether both are equal, in a time that depends only on their lengths.
package func constantTimeEquals(_ left: some ByteSource, _ right: some ByteSource) -> Bool {
  left.withRawBytes { left in
    right.withRawBytes { right in
      left.count == right.count && (left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0)
    }
  }
}
