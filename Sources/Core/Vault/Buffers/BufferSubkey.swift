import Cryptography

/// A subkey that is ready for use, with the commitment that binds it to its buffers. The caller that takes it from the
/// pool has exclusive use of it.
struct BufferSubkey: Sendable {
  let name: SubkeyName
  let commitment: [UInt8]
  let context: AESGCM.Context

  init(_ name: SubkeyName, of key: IdentityKey) throws(CryptographyError) {
    self.name = name
    let derived = try HKDF.expand(
      Array("mamb/v1".utf8) + name.bytes, key: key.secret, count: AESGCM.keyLength + BufferHeader.commitmentLength)
    (context, commitment) = try derived.withUnsafeBytes { bytes throws(CryptographyError) in
      (
        try AESGCM.Context(key: UnsafeRawBufferPointer(rebasing: bytes[..<AESGCM.keyLength])),
        Array(bytes[AESGCM.keyLength...])
      )
    }
  }

  /// Throws `authenticationFailed` if the buffer was changed, or was not sealed under this subkey.
  func open(_ bytes: [UInt8], _ header: BufferHeader) throws(CryptographyError) -> [UInt8] {
    let stored = bytes[header.length - BufferHeader.commitmentLength..<header.length]
    guard constantTimeEquals(stored, commitment) else { return try refuse() }
    return try bytes.withRawBytes { bytes throws(CryptographyError) in
      try header.isEncrypted ? decrypt(bytes, header) : verify(bytes, header)
    }
  }

  private func decrypt(_ bytes: UnsafeRawBufferPointer, _ header: BufferHeader) throws(CryptographyError) -> [UInt8] {
    try [UInt8](capacity: header.payload.count) { plaintext throws(CryptographyError) in
      try context.open(
        bytes.slice(header.payload), tag: bytes.tag, nonce: bytes.nonce(header),
        associatedData: bytes.slice(0..<header.length), into: plaintext)
      return plaintext.count
    }
  }

  private func verify(_ bytes: UnsafeRawBufferPointer, _ header: BufferHeader) throws(CryptographyError) -> [UInt8] {
    let count = header.payload.count
    return try [UInt8](capacity: header.length + count) { piece throws(CryptographyError) in
      piece.copyMemory(from: bytes.slice(0..<header.length))
      let payload = UnsafeMutableRawBufferPointer(rebasing: piece[header.length...])
      payload.copyMemory(from: bytes.slice(header.payload))
      try context.open(
        .none, tag: bytes.tag, nonce: bytes.nonce(header), associatedData: UnsafeRawBufferPointer(piece), into: .none)
      piece.copyMemory(from: UnsafeRawBufferPointer(payload))
      return count
    }
  }

  /// Fails in the same way as a wrong tag.
  private func refuse() throws(CryptographyError) -> [UInt8] {
    try context.open([] as [UInt8], nonce: [] as [UInt8], associatedData: [] as [UInt8])
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[range])
  }

  fileprivate var tag: UnsafeRawBufferPointer { slice(count - AESGCM.tagLength..<count) }

  fileprivate func nonce(_ header: BufferHeader) -> UnsafeRawBufferPointer {
    slice(header.length..<header.length + AESGCM.nonceLength)
  }
}
