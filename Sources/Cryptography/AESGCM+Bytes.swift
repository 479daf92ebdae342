extension AESGCM.Context {
  /// The ciphertext, then the tag.
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

  /// Takes the ciphertext with the tag behind it. What is shorter than a tag is not authentic.
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

  /// As `open`, for a wrapped key.
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
