import Cryptography

/// Seals buffers for one owner under one subkey. The caller that takes it from the pool has exclusive use of it.
struct BufferSealer: Sendable {
  /// Far below the limit for random 12-byte nonces under one key.
  private static let maximumSeals = 1 << 31

  let owner: DataOwner
  private let name: KeyName
  private let isEncrypting: Bool
  private let context: AESGCM.Context
  private let header: [UInt8]
  /// Seals only in the process that created the salt, so a forked child never reuses it.
  private let process = ProcessMark.current
  private var seals = 0

  /// `encoded` is the owner as in the header; `name` is that of the key from which the subkey is derived.
  init(_ subkey: BufferSubkey, owner: DataOwner, encoded: [UInt8], _ name: KeyName) {
    self.owner = owner
    self.name = name
    isEncrypting = name != .device
    context = subkey.context
    header = BufferHeader.bytes(
      isEncrypted: isEncrypting, owner: encoded, subkey: subkey.name, commitment: subkey.commitment)
  }

  func canSeal(for owner: DataOwner, _ name: KeyName) -> Bool {
    self.name == name && self.owner == owner && seals < Self.maximumSeals
      && process == ProcessMark.current
  }

  /// `nonce` fills 12 bytes with a value that was never used under this key.
  mutating func seal(
    _ payload: [UInt8], nonce: (UnsafeMutableRawBufferPointer) throws(CryptographyError) -> Void
  ) throws(CryptographyError) -> [UInt8] {
    seals += 1
    let rest = AESGCM.nonceLength + payload.count + AESGCM.tagLength
    return try [UInt8](capacity: header.count + rest) { buffer throws(CryptographyError) in
      let parts = BufferParts(buffer, header: header.count)
      try nonce(parts.nonce)
      try isEncrypting ? encrypt(payload, parts) : authenticate(payload, parts, buffer)
      parts.header.copyBytes(from: header)
      return buffer.count
    }
  }

  private func encrypt(_ payload: [UInt8], _ parts: BufferParts) throws(CryptographyError) {
    try payload.withRawBytes { payload throws(CryptographyError) in
      try header.withRawBytes { header throws(CryptographyError) in
        try context.seal(
          payload, nonce: UnsafeRawBufferPointer(parts.nonce), associatedData: header, into: parts.payload,
          tag: parts.tag)
      }
    }
  }

  /// The tag covers the header and the payload as one contiguous range, so the header is copied directly before the
  /// payload for a moment. That overwrites the nonce, which is restored afterwards.
  private func authenticate(
    _ payload: [UInt8], _ parts: BufferParts, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(CryptographyError) {
    let nonce = Array(parts.nonce)
    let piece = buffer[AESGCM.nonceLength..<buffer.count - AESGCM.tagLength]
    UnsafeMutableRawBufferPointer(rebasing: piece).copyBytes(from: header)
    parts.payload.copyBytes(from: payload)
    try nonce.withRawBytes { nonce throws(CryptographyError) in
      try context.seal(
        .none, nonce: nonce, associatedData: UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: piece)),
        into: .none, tag: parts.tag)
    }
    parts.nonce.copyBytes(from: nonce)
  }
}

/// The parts of a buffer that is being written.
private struct BufferParts {
  let header, nonce, payload, tag: UnsafeMutableRawBufferPointer

  init(_ buffer: UnsafeMutableRawBufferPointer, header length: Int) {
    let start = length + AESGCM.nonceLength
    let end = buffer.count - AESGCM.tagLength
    header = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
    nonce = UnsafeMutableRawBufferPointer(rebasing: buffer[length..<start])
    payload = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end])
    tag = UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
  }
}
