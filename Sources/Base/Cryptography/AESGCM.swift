import COpenSSL

/// AES-256 in Galois/counter mode (NIST SP 800-38D), with 12-byte nonces and 16-byte tags only.
///
/// These functions create a context for each call. To seal many buffers, use an `AESGCM.Context`.
package enum AESGCM {
  package static let keyLength = 32
  package static let nonceLength = 12
  package static let tagLength = 16

  /// Returns the ciphertext followed by the tag.
  package static func seal(
    _ plaintext: some ByteSource, key: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> [UInt8] {
    try Context(key: key).seal(plaintext, nonce: nonce, associatedData: associatedData)
  }

  /// Expects the ciphertext followed by the tag.
  package static func open(
    _ sealed: some ByteSource, key: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> [UInt8] {
    try Context(key: key).open(sealed, nonce: nonce, associatedData: associatedData)
  }

  /// Like `open`, for a wrapped key.
  package static func openSecret(
    _ sealed: some ByteSource, key: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> SecretBytes {
    try Context(key: key).openSecret(sealed, nonce: nonce, associatedData: associatedData)
  }
}

extension AESGCM.Context {
  /// Returns the ciphertext followed by the tag.
  package func seal(
    _ plaintext: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> [UInt8] {
    try plaintext.withRawBytes { plaintext throws(CryptographyError) in
      try nonce.withRawBytes { nonce throws(CryptographyError) in
        try associatedData.withRawBytes { associatedData throws(CryptographyError) in
          var sealed = [UInt8](repeating: 0, count: plaintext.count + AESGCM.tagLength)
          try sealed.withUnsafeMutableBufferPointer { sealed throws(CryptographyError) in
            let (ciphertext, tag) = UnsafeMutableRawBufferPointer(sealed).split(at: plaintext.count)
            try seal(plaintext, nonce: nonce, associatedData: associatedData, into: ciphertext, tag: tag)
          }
          return sealed
        }
      }
    }
  }

  /// Expects the ciphertext followed by the tag. Anything shorter than a tag is not authentic.
  package func open(
    _ sealed: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> [UInt8] {
    try parts(sealed, nonce, associatedData) { sealed, nonce, associatedData throws(CryptographyError) in
      var plaintext = [UInt8](repeating: 0, count: sealed.count - AESGCM.tagLength)
      try plaintext.withUnsafeMutableBufferPointer { plaintext throws(CryptographyError) in
        try openWhole(sealed, nonce, associatedData, into: UnsafeMutableRawBufferPointer(plaintext))
      }
      return plaintext
    }
  }

  /// Like `open`, for a wrapped key.
  package func openSecret(
    _ sealed: some ByteSource, nonce: some ByteSource, associatedData: some ByteSource
  ) throws(CryptographyError) -> SecretBytes {
    try parts(sealed, nonce, associatedData) { sealed, nonce, associatedData throws(CryptographyError) in
      try SecretBytes(capacity: sealed.count - AESGCM.tagLength) { plaintext throws(CryptographyError) in
        try openWhole(sealed, nonce, associatedData, into: plaintext)
        return plaintext.count
      }
    }
  }

  private func parts<Result>(
    _ sealed: some ByteSource, _ nonce: some ByteSource, _ associatedData: some ByteSource,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CryptographyError) -> Result
  ) throws(CryptographyError) -> Result {
    try sealed.withRawBytes { sealed throws(CryptographyError) in
      guard sealed.count >= AESGCM.tagLength else {
        throw CryptographyError(.authenticationFailed, in: "AESGCM.open")
      }
      return try nonce.withRawBytes { nonce throws(CryptographyError) in
        try associatedData.withRawBytes { associatedData throws(CryptographyError) in
          try body(sealed, nonce, associatedData)
        }
      }
    }
  }

  private func openWhole(
    _ sealed: UnsafeRawBufferPointer, _ nonce: UnsafeRawBufferPointer, _ associatedData: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    let ciphertext = UnsafeRawBufferPointer(rebasing: sealed.prefix(plaintext.count))
    let tag = UnsafeRawBufferPointer(rebasing: sealed.suffix(AESGCM.tagLength))
    try open(ciphertext, tag: tag, nonce: nonce, associatedData: associatedData, into: plaintext)
  }
}

extension UnsafeMutableRawBufferPointer {
  fileprivate func split(at index: Int) -> (UnsafeMutableRawBufferPointer, UnsafeMutableRawBufferPointer) {
    (UnsafeMutableRawBufferPointer(rebasing: self[..<index]), UnsafeMutableRawBufferPointer(rebasing: self[index...]))
  }
}

extension AESGCM {
  /// A key that is set up for many seals and opens. Used by one thread at a time.
  package final class Context: @unchecked Sendable {  // the handle is not tied to a thread; its users take turns
    private let handle: OpaquePointer

    package init(key: some ByteSource) throws(CryptographyError) {
      let cipher = try Library.aes256GCM()
      guard let handle = EVP_CIPHER_CTX_new() else { throw CryptographyError(.outOfMemory, in: "AESGCM.Context") }
      self.handle = handle
      try check(EVP_CipherInit_ex2(handle, cipher, nil, nil, 1, nil), "AESGCM.Context")
      try setKey(key)
    }

    deinit { EVP_CIPHER_CTX_free(handle) }

    /// Changes the key, which is cheaper than creating another context.
    package func setKey(_ key: some ByteSource) throws(CryptographyError) {
      try key.withRawBytes { key throws(CryptographyError) in
        try require(key.count == keyLength, "AESGCM.setKey")
        try check(EVP_CipherInit_ex2(handle, nil, key.octets, nil, 1, nil), "AESGCM.setKey")
      }
    }

    /// The ciphertext is as long as the plaintext followed by `rest`, and may replace the plaintext in memory. The tag
    /// has 16 bytes.
    package func seal(
      _ plaintext: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer = .none, nonce: UnsafeRawBufferPointer,
      associatedData: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawBufferPointer,
      tag: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
      try require(
        nonce.count == nonceLength && tag.count == tagLength && ciphertext.count == plaintext.count + rest.count,
        "AESGCM.seal")
      try start(nonce, isSealing: true, "AESGCM.seal")
      try update(associatedData, into: nil, "AESGCM.seal")
      try update(plaintext, into: ciphertext.baseAddress, "AESGCM.seal")
      try update(rest, into: ciphertext.baseAddress.map { $0 + plaintext.count }, "AESGCM.seal")
      try check(finish(), "AESGCM.seal")
      try check(
        EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), tag.baseAddress), "AESGCM.seal")
    }

    /// The plaintext followed by `rest` is as long as the ciphertext, and may replace it in memory. If this throws,
    /// both contain zeros.
    package func open(
      _ ciphertext: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer,
      associatedData: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer,
      rest: UnsafeMutableRawBufferPointer = .none
    ) throws(CryptographyError) {
      try require(
        nonce.count == nonceLength && tag.count == tagLength && ciphertext.count == plaintext.count + rest.count,
        "AESGCM.open")
      do throws(CryptographyError) {
        try start(nonce, isSealing: false, "AESGCM.open")
        let expected = UnsafeMutableRawPointer(mutating: tag.baseAddress)
        try check(EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), expected), "AESGCM.open")
        try update(associatedData, into: nil, "AESGCM.open")
        try update(.init(rebasing: ciphertext[..<plaintext.count]), into: plaintext.baseAddress, "AESGCM.open")
        try update(.init(rebasing: ciphertext[plaintext.count...]), into: rest.baseAddress, "AESGCM.open")
        guard finish() == 1 else {
          ERR_clear_error()
          throw CryptographyError(.authenticationFailed, in: "AESGCM.open")
        }
      } catch {
        plaintext.cleanse()
        rest.cleanse()
        throw error
      }
    }

    private func start(
      _ nonce: UnsafeRawBufferPointer, isSealing: Bool, _ place: StaticString
    ) throws(CryptographyError) {
      try check(EVP_CipherInit_ex2(handle, nil, nil, nonce.octets, isSealing ? 1 : 0, nil), place)
    }

    /// Without a target, the bytes are associated data. The library counts in Int32.
    private func update(
      _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer?, _ place: StaticString
    ) throws(CryptographyError) {
      var done = 0
      while done < bytes.count {
        let count = min(bytes.count - done, 1 << 30)
        var written: Int32 = 0
        let output = target.map { ($0 + done).assumingMemoryBound(to: UInt8.self) }
        try check(EVP_CipherUpdate(handle, output, &written, bytes.octets.map { $0 + done }, Int32(count)), place)
        done += count
      }
    }

    /// Writes nothing in this mode, but needs an address.
    private func finish() -> Int32 {
      var written: Int32 = 0
      var nothing: (UInt64, UInt64) = (0, 0)
      return withUnsafeMutableBytes(of: &nothing) { bytes in
        EVP_CipherFinal_ex(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &written)
      }
    }
  }
}

/// Throws `wrongLength` unless `fits` is true.
func require(_ fits: Bool, _ place: StaticString) throws(CryptographyError) {
  guard fits else { throw CryptographyError(.wrongLength, in: place) }
}

extension UnsafeRawBufferPointer {
  package static var none: Self { Self(start: nil, count: 0) }

  var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
  package static var none: Self { Self(start: nil, count: 0) }

  var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
