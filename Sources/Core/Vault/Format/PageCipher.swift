import Cryptography

/// Seals and opens the pages and the record of one file. The holder has exclusive use of it.
struct PageCipher: Sendable {
  private let context: AESGCM.Context
  private static let recordName = Array("rec".utf8)

  /// The cipher of a file, and the commitment that its header must contain.
  static func derive(
    _ header: FileHeader, _ key: IdentityKey
  ) throws(CryptographyError) -> (cipher: PageCipher, commitment: [UInt8]) {
    let count = AESGCM.keyLength + FileHeader.commitmentLength
    let derived = try HKDF.expand(header.derivation, key: key.secret, count: count)
    return try derived.withUnsafeBytes { bytes throws(CryptographyError) in
      let key = UnsafeRawBufferPointer(rebasing: bytes[..<AESGCM.keyLength])
      return (PageCipher(context: try AESGCM.Context(key: key)), Array(bytes[AESGCM.keyLength...]))
    }
  }

  /// `data` fills the page, except for its zeros.
  func seal(
    _ data: UnsafeRawBufferPointer, into page: UnsafeMutableRawBufferPointer, index: UInt64, _ nonces: inout NonceBatch
  ) throws(CryptographyError) {
    try nonces.next(into: SealedParts(page).nonce)
    try PageName(index).withBytes { name throws(CryptographyError) in
      try withUnsafeBytes(of: UInt32(0)) { zeros throws(CryptographyError) in
        try seal(data, rest: zeros, into: SealedParts(page), name)
      }
    }
  }

  /// Returns false, and sets the data to zeros, if the tag or a zero byte is wrong.
  func open(
    _ page: UnsafeMutableRawBufferPointer, into data: UnsafeMutableRawBufferPointer, index: UInt64
  ) throws(CryptographyError) -> Bool {
    var zeros: UInt32 = 0
    let isWhole = try withUnsafeMutableBytes(of: &zeros) { zeros throws(CryptographyError) in
      try PageName(index).withBytes { name throws(CryptographyError) in
        try open(SealedParts(page), name, into: data, rest: zeros)
      }
    }
    guard isWhole, zeros == 0 else {
      data.clear(0..<data.count)
      return false
    }
    return true
  }

  func seal(_ record: FileRecord) throws(CryptographyError) -> [UInt8] {
    try [UInt8](capacity: FileLayout.recordSize) { target throws(CryptographyError) in
      let parts = SealedParts(target)
      parts.text.copyBytes(from: record.bytes)
      try SystemRandom.fill(parts.nonce)
      try Self.recordName.withRawBytes { name throws(CryptographyError) in
        try seal(UnsafeRawBufferPointer(parts.text), into: parts, name)
      }
      return target.count
    }
  }

  /// `nil` for a damaged record.
  func openRecord(_ sealed: UnsafeMutableRawBufferPointer) throws(CryptographyError) -> FileRecord? {
    let parts = SealedParts(sealed)
    let isWhole = try Self.recordName.withRawBytes { name throws(CryptographyError) in
      try open(parts, name, into: parts.text)
    }
    return isWhole ? FileRecord(UnsafeRawBufferPointer(parts.text)) : nil
  }

  /// The nonce is in place already.
  private func seal(
    _ text: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer = .none, into parts: SealedParts,
    _ name: UnsafeRawBufferPointer
  ) throws(CryptographyError) {
    try context.seal(
      text, rest: rest, nonce: UnsafeRawBufferPointer(parts.nonce), associatedData: name, into: parts.text,
      tag: parts.tag)
  }

  private func open(
    _ parts: SealedParts, _ name: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer,
    rest: UnsafeMutableRawBufferPointer = .none
  ) throws(CryptographyError) -> Bool {
    do throws(CryptographyError) {
      try context.open(
        UnsafeRawBufferPointer(parts.text), tag: UnsafeRawBufferPointer(parts.tag),
        nonce: UnsafeRawBufferPointer(parts.nonce), associatedData: name, into: text, rest: rest)
      return true
    } catch {
      guard error.reason == .authenticationFailed else { throw error }
      return false
    }
  }
}

/// Nonce 12, text, tag 16 bytes.
private struct SealedParts {
  let nonce, text, tag: UnsafeMutableRawBufferPointer

  init(_ bytes: UnsafeMutableRawBufferPointer) {
    let end = bytes.count - AESGCM.tagLength
    nonce = UnsafeMutableRawBufferPointer(rebasing: bytes[..<AESGCM.nonceLength])
    text = UnsafeMutableRawBufferPointer(rebasing: bytes[AESGCM.nonceLength..<end])
    tag = UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
  }
}

/// The associated data of a page: "page", then its number as u64. On the stack, because every page needs one.
private struct PageName {
  private var words: (UInt32, UInt32, UInt32)

  init(_ index: UInt64) {
    words = (
      UInt32(0x7061_6765).bigEndian, UInt32(truncatingIfNeeded: index >> 32).bigEndian,
      UInt32(truncatingIfNeeded: index).bigEndian
    )
  }

  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws(CryptographyError) -> Result
  ) throws(CryptographyError) -> Result {
    try withUnsafeBytes(of: words) { bytes throws(CryptographyError) in try body(bytes) }
  }
}
