/// HKDF with SHA-256 (RFC 5869). On HMAC, not on the library's own HKDF: that one takes longer to set up than to run.
package enum HKDF {
  /// What one key can be expanded to, in bytes.
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

  /// Fills `output`, whose length is the caller's choice; `hmac` holds the key and can be kept for further calls.
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

  /// Extract, then expand.
  package static func derive(
    salt: some ByteSource, secret: some ByteSource, info: some ByteSource, count: Int
  ) throws(CryptographyError) -> SecretBytes {
    try expand(info, key: extract(salt: salt, secret: secret), count: count)
  }

  private static func update(_ hmac: HMACSHA256, _ counter: UInt8) throws(CryptographyError) {
    try withUnsafeBytes(of: counter) { byte throws(CryptographyError) in try hmac.update(byte) }
  }

  /// The last block may be shorter than a code; what is not taken of it is cleared.
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
