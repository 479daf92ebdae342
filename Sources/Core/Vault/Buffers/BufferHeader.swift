import Cryptography

/// The part before the nonce of a "MAMB" 1 buffer: magic 9, version 1, mode 1, suite 1, owner 2 + n, key id 16, subkey
/// salt 24, commitment 32 bytes. All of it is associated data. In mode 0 the payload stays in clear, so it follows the
/// header in the associated data and the plaintext is empty.
struct BufferHeader: Sendable {
  static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x42, 0x55, 0x46, 0x0D, 0x0A]
  static let saltLength = 24
  static let commitmentLength = 32
  /// Enough bytes to read the owner of any buffer.
  static let maximumLength = 4096

  let isEncrypted: Bool
  let owner: DataOwner
  let subkey: SubkeyName
  let length: Int
  /// Followed by nonce 12, payload, tag 16 bytes.
  let payload: Range<Int>

  static func isMagic(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: magic) }

  /// `nil` if the bytes after the magic are not a complete buffer.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = BigEndianReader(bytes)
    guard reader.takes(Self.magic + [1]), let mode = reader.integer(UInt8.self), mode <= 1, reader.takes([1]),
      let owner = DataOwner(&reader), let subkey = SubkeyName(&reader), reader.take(Self.commitmentLength) != nil
    else { return nil }
    isEncrypted = mode == 1
    self.owner = owner
    self.subkey = subkey
    length = reader.offset
    let start = length + AESGCM.nonceLength
    let end = bytes.count - AESGCM.tagLength
    guard start < end else { return nil }
    payload = start..<end
  }

  static func bytes(isEncrypted: Bool, owner: [UInt8], subkey: SubkeyName, commitment: [UInt8]) -> [UInt8] {
    magic + [1, isEncrypted ? 1 : 0, 1] + owner + subkey.bytes + commitment
  }
}

extension KeyName {
  /// The key of a buffer; `nil` for an encrypted buffer of no user. A buffer in clear uses the device key in every
  /// `scope`.
  init?(_ owner: DataOwner, isEncrypted: Bool, in scope: Scope) {
    guard isEncrypted else {
      self = .device
      return
    }
    self.init(accountId: owner.accountId, identity: owner.identity, scope)
  }
}

/// Names one subkey: the identity key that it is derived from, and a salt of 24 bytes.
struct SubkeyName: Hashable, Sendable {
  let key: KeyID
  private let salt: (UInt64, UInt64, UInt64)

  /// A new subkey that nobody has used yet.
  static func random(of key: KeyID) throws(CryptographyError) -> SubkeyName {
    var salt: (UInt64, UInt64, UInt64) = (0, 0, 0)
    try withUnsafeMutableBytes(of: &salt) { bytes throws(CryptographyError) in try Random.fill(bytes) }
    return SubkeyName(key: key, salt: salt)
  }

  init?(_ reader: inout BigEndianReader) {
    guard let key = KeyID(&reader), let first = reader.integer(UInt64.self), let second = reader.integer(UInt64.self),
      let third = reader.integer(UInt64.self)
    else { return nil }
    self.init(key: key, salt: (first, second, third))
  }

  private init(key: KeyID, salt: (UInt64, UInt64, UInt64)) {
    self.key = key
    self.salt = salt
  }

  var bytes: [UInt8] {
    var bytes = key.bytes
    for word in [salt.0, salt.1, salt.2] { bytes.append(bigEndian: word) }
    return bytes
  }

  static func == (left: SubkeyName, right: SubkeyName) -> Bool { left.key == right.key && left.salt == right.salt }

  func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(salt.0)
  }
}
