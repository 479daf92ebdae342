import Cryptography
import Model

/// The id of one identity key: 16 random bytes.
struct KeyID: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init?(_ reader: inout BigEndianReader) {
    guard let high = reader.integer(UInt64.self), let low = reader.integer(UInt64.self) else { return nil }
    self.high = high
    self.low = low
  }

  static func random() throws(CryptographyError) -> KeyID {
    var words: (UInt64, UInt64) = (0, 0)
    try withUnsafeMutableBytes(of: &words) { bytes throws(CryptographyError) in try Random.fill(bytes) }
    return KeyID(high: words.0, low: words.1)
  }

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: high)
    bytes.append(bigEndian: low)
    return bytes
  }
}

/// An unwrapped identity key.
struct IdentityKey: Sendable {
  let id: KeyID
  let epoch: UInt32
  let secret: SecretBytes
}

extension IdentityKey {
  /// Start 11, zero 1, epoch u32, key id 16, folder name 32 bytes.
  private static let headerLength = 64

  static func random(epoch: UInt32) throws(CryptographyError) -> IdentityKey {
    IdentityKey(id: try .random(), epoch: epoch, secret: try .random(count: KeyPage.keyLength))
  }

  /// `folder` is the name of the key's folder. A page that is moved to another folder does not open.
  func page(folder: [UInt8], under wrapping: SecretBytes) throws(CryptographyError) -> [UInt8] {
    var header = KeyPage.start(.identity) + [0]
    header.append(bigEndian: epoch)
    return try KeyPage.seal(secret, under: wrapping, header: header + id.bytes + folder)
  }

  /// `nil` if the page is damaged or belongs to another key.
  init?(page: [UInt8], epoch: UInt32, folder: [UInt8], under wrapping: SecretBytes) throws(CryptographyError) {
    let id = KeyPage.parse(page, .identity, headerLength: Self.headerLength) { reader -> KeyID? in
      guard reader.takes([0]), reader.integer(UInt32.self) == epoch, let id = KeyID(&reader), reader.takes(folder)
      else { return nil }
      return id
    }
    guard let id, let secret = try KeyPage.open(page, headerLength: Self.headerLength, under: wrapping)
    else { return nil }
    self.init(id: id, epoch: epoch, secret: secret)
  }
}

/// Names an identity key, in all its epochs.
struct KeyName: Hashable, Sendable {
  enum Scope: Hashable, Sendable {
    /// For one app's files at rest.
    case app(String)
    /// For data that the managed apps of one account share.
    case shared
    /// For data that has an owner but is not encrypted.
    case device
  }

  /// The object id, or the user principal name while the object id is unknown, in lowercase. Empty for the device.
  let account: String
  let scope: Scope

  static let device = KeyName(account: "", scope: .device)

  private init(account: String, scope: Scope) {
    self.account = account
    self.scope = scope
  }

  /// `nil` for no user, and for an owner without known names.
  init?(_ owner: DataOwner, _ scope: Scope) {
    self.init(accountId: owner.accountId, identity: owner.identity, scope)
  }

  /// From the names alone: every call for a buffer needs this, and passing a `DataOwner` is slower.
  init?(accountId: String?, identity: String?, _ scope: Scope) {
    let name = accountId.flatMap { $0.isEmpty ? nil : $0 } ?? identity ?? ""
    guard !name.isEmpty else { return nil }
    self.init(account: name.lowercasedASCII, scope: scope)
  }

  /// The input of the HMAC that names the folder. No scope contains a zero byte, so different names give different
  /// bytes.
  var bytes: [UInt8] { Array(account.utf8) + [0] + Array(scopeText.utf8) }

  private var scopeText: String {
    switch scope {
    case .app(let id): "app:" + id
    case .shared: "shared"
    case .device: "device"
    }
  }
}
