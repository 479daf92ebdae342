import Cryptography
import Model

/// Gives buffers their owner, encrypted or in clear, and takes them apart again.
///
/// Blocks for the disk at first use of a key and after a change of keys; in memory otherwise. Any thread may call.
package final class DataProtection: Sendable {
  private let keys: KeyStore
  private let nonces: any NonceSource
  private let pool = SubkeyPool()

  package init(keys: KeyStore, nonces: any NonceSource = SystemNonces()) {
    self.keys = keys
    self.nonces = nonces
  }

  /// Who has the key of protected bytes.
  package enum Seal: Sendable {
    /// The bytes are in clear, or were never protected.
    case owned
    case managedApps
    case thisApp
    /// Another app or device, or nobody any more.
    case unknown
  }

  /// Without `encrypting` the bytes stay in clear, and a tag ties them to the owner on this device. `forThisApp` encrypts
  /// them with a key that no other app has.
  /// Throws 1105, 1101 for names that are too long, 1102, or an error of the keys.
  package func protect(
    _ bytes: [UInt8], for owner: DataOwner, encrypting: Bool, forThisApp: Bool = false
  ) throws(MAMError) -> [UInt8] {
    guard !bytes.isEmpty else { throw .emptyData }
    let generation = keys.generation
    guard let name = KeyName(owner, isEncrypted: encrypting, in: forThisApp ? keys.appScope : .shared) else {
      throw .nobody
    }
    var sealer = try sealer(for: owner, name, generation)
    do throws(CryptographyError) {
      let buffer = try sealer.seal(bytes, nonce: nonces.next(into:))
      pool.give(sealer, generation)
      return buffer
    } catch {
      throw MAMError(.failedToEncryptData, "the data could not be protected: \(error)")
    }
  }

  /// What was never protected comes back unchanged. `canRead` is asked for the owner of encrypted bytes.
  /// Throws 1105, 1103, or an error of the keys.
  package func unprotect(_ bytes: [UInt8], canRead: (DataOwner) -> Bool) throws(MAMError) -> [UInt8] {
    guard let header = try header(of: bytes) else { return bytes }
    guard !header.isEncrypted || canRead(header.owner) else { throw .notForThisApp }
    let generation = keys.generation
    let subkey = try subkey(for: header, generation)
    do throws(CryptographyError) {
      let payload = try subkey.open(bytes, header)
      pool.give(subkey, generation)
      return payload
    } catch {
      throw .changed
    }
  }

  /// The owner as the header says, which needs no key and is not proof of it; nil for what was never protected.
  /// Throws 1105, or 1103 for a header that is no whole one.
  package func owner(of bytes: [UInt8]) throws(MAMError) -> DataOwner? {
    try header(of: bytes)?.owner
  }

  /// Whether these are protected bytes that cannot be read without the key. Throws as `owner`.
  package func isEncrypted(_ bytes: [UInt8]) throws(MAMError) -> Bool {
    try header(of: bytes)?.isEncrypted ?? false
  }

  /// Throws as `owner`, or an error of the keys.
  package func seal(of bytes: [UInt8]) throws(MAMError) -> Seal {
    guard let header = try header(of: bytes), header.isEncrypted else { return .owned }
    return try key(of: header)?.seal ?? .unknown
  }

  /// Clears what was derived from keys that are gone; belongs to a wipe. Without it that happens at the next call.
  package func forgetKeys() { pool.forget(keys.generation) }

  private func header(of bytes: [UInt8]) throws(MAMError) -> BufferHeader? {
    guard !bytes.isEmpty else { throw .emptyData }
    return try bytes.withRawBytes { bytes throws(MAMError) in
      guard BufferHeader.isMagic(bytes) else { return nil }
      guard let header = BufferHeader(bytes) else { throw .changed }
      return header
    }
  }

  private func sealer(
    for owner: DataOwner, _ name: KeyName, _ generation: UInt64
  ) throws(MAMError) -> BufferSealer {
    if let sealer = pool.takeSealer(for: owner, name, generation) { return sealer }
    guard let encoded = owner.encoded else { throw .ownerTooLong }
    let key = try keys.newestKey(name)
    let subkey = try MAMError.keys { () throws(CryptographyError) in
      try BufferSubkey(.random(of: key.id), of: key)
    }
    return BufferSealer(subkey, owner: owner, encoded: encoded, name)
  }

  /// Nil when this app has none.
  private func key(of header: BufferHeader) throws(MAMError) -> (key: IdentityKey, seal: Seal)? {
    for (scope, seal) in [(KeyName.Scope.shared, Seal.managedApps), (keys.appScope, .thisApp)] {
      guard let name = KeyName(header.owner, isEncrypted: header.isEncrypted, in: scope) else { return nil }
      if let key = try keys.key(header.subkey.key, of: name) { return (key, seal) }
      guard header.isEncrypted else { return nil }
    }
    return nil
  }

  private func subkey(for header: BufferHeader, _ generation: UInt64) throws(MAMError) -> BufferSubkey {
    if let subkey = pool.takeSubkey(header.subkey, generation) { return subkey }
    guard let key = try key(of: header)?.key else { throw .noKey }
    return try MAMError.keys { () throws(CryptographyError) in try BufferSubkey(header.subkey, of: key) }
  }
}

extension MAMError {
  fileprivate static let emptyData = MAMError(.emptyData, "there is nothing to protect or unprotect: it is empty")
  fileprivate static let nobody = MAMError(.invalidArguments, "data can only be encrypted for an account")
  fileprivate static let changed = MAMError(
    .failedToDecryptData, "the protected data is not what was protected: it was changed or cut",
    hint: "Take it again from where it came")
  fileprivate static let noKey = MAMError(
    .failedToDecryptData, "there is no key for the protected data here",
    hint: "It was protected on another device or state folder, or its account was wiped")
  fileprivate static let notForThisApp = MAMError(
    .failedToDecryptData, "the protected data belongs to an account that this app is not managed for",
    hint: "Enroll its owner in this app")
}
