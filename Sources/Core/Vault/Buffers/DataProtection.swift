import Cryptography
import Model

/// Protects buffers for their owners, encrypted or in clear, and opens them again.
///
/// Waits for the disk at the first use of a key and after keys change; otherwise works in memory. With the reach
/// `memory`, answers `needsDisk` instead of waiting. Safe to call from any thread.
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
    /// Another app or device has it, or it no longer exists.
    case unknown
  }

  /// Without `encrypting`, the bytes stay in clear and a tag binds them to the owner on this device. With `forThisApp`,
  /// they are encrypted under a key that no other app has. Throws 1105, 1101 if the names are too long, 1102, or an
  /// error of the keys.
  package func protect(
    _ bytes: [UInt8], for owner: DataOwner, encrypting: Bool, forThisApp: Bool, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<[UInt8]> {
    guard !bytes.isEmpty else { throw .emptyData }
    let generation = keys.generation
    guard let name = KeyName(owner, isEncrypted: encrypting, in: forThisApp ? keys.appScope : .shared) else {
      throw .nobody
    }
    guard case .now(var sealer) = try sealer(for: owner, name, generation, reach) else { return .needsDisk }
    do throws(CryptographyError) {
      let buffer = try sealer.seal(bytes, nonce: nonces.next(into:))
      pool.give(sealer, generation)
      return .now(buffer)
    } catch {
      throw MAMError(.failedToEncryptData, "cannot protect the data: \(error)")
    }
  }

  /// Returns bytes that were never protected unchanged. Calls `canRead` with the owner of encrypted bytes. Throws 1105,
  /// 1103, or an error of the keys.
  package func unprotect(
    _ bytes: [UInt8], _ reach: KeyReach, canRead: (DataOwner) -> Bool
  ) throws(MAMError) -> MemoryAnswer<[UInt8]> {
    guard let header = try header(of: bytes) else { return .now(bytes) }
    guard !header.isEncrypted || canRead(header.owner) else { throw .notForThisApp }
    let generation = keys.generation
    guard case .now(let subkey) = try subkey(for: header, generation, reach) else { return .needsDisk }
    do throws(CryptographyError) {
      let payload = try subkey.open(bytes, header)
      pool.give(subkey, generation)
      return .now(payload)
    } catch {
      throw .changed
    }
  }

  /// The owner named in the header, which needs no key and proves nothing; `nil` if the bytes were never protected.
  /// Throws 1105, or 1103 if the header is incomplete.
  package func owner(of bytes: [UInt8]) throws(MAMError) -> DataOwner? {
    try header(of: bytes)?.owner
  }

  /// Whether these are protected bytes that cannot be read without the key. Throws like `owner`.
  package func isEncrypted(_ bytes: [UInt8]) throws(MAMError) -> Bool {
    try header(of: bytes)?.isEncrypted ?? false
  }

  /// Throws like `owner`, or an error of the keys.
  package func seal(of bytes: [UInt8], _ reach: KeyReach) throws(MAMError) -> MemoryAnswer<Seal> {
    guard let header = try header(of: bytes), header.isEncrypted else { return .now(.owned) }
    return try key(of: header, reach).map { $0?.seal ?? .unknown }
  }

  /// Clears what was derived from destroyed keys. A wipe calls this; otherwise it happens at the next call.
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
    for owner: DataOwner, _ name: KeyName, _ generation: UInt64, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<BufferSealer> {
    if let sealer = pool.takeSealer(for: owner, name, generation) { return .now(sealer) }
    guard let encoded = owner.encoded else { throw .ownerTooLong }
    guard let key = try reach == .disk ? keys.newestKey(name) : keys.newestKeyInMemory(name) else { return .needsDisk }
    let subkey = try MAMError.keys { () throws(CryptographyError) in
      try BufferSubkey(.random(of: key.id), of: key)
    }
    return .now(BufferSealer(subkey, owner: owner, encoded: encoded, name))
  }

  /// The answer is `nil` if this app does not have the key.
  private func key(
    of header: BufferHeader, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<(key: IdentityKey, seal: Seal)?> {
    for (scope, seal) in [(KeyName.Scope.shared, Seal.managedApps), (keys.appScope, .thisApp)] {
      guard let name = KeyName(header.owner, isEncrypted: header.isEncrypted, in: scope) else { break }
      let id = header.subkey.key
      if let key = try reach == .disk ? keys.key(id, of: name) : keys.keyInMemory(id, of: name) {
        return .now((key, seal))
      }
      guard header.isEncrypted else { break }
    }
    return reach == .disk ? .now(nil) : .needsDisk
  }

  /// Throws if this app does not have the key.
  private func subkey(
    for header: BufferHeader, _ generation: UInt64, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<BufferSubkey> {
    if let subkey = pool.takeSubkey(header.subkey, generation) { return .now(subkey) }
    guard case .now(let found) = try key(of: header, reach) else { return .needsDisk }
    guard let key = found?.key else { throw .noKey }
    return .now(try MAMError.keys { () throws(CryptographyError) in try BufferSubkey(header.subkey, of: key) })
  }
}

extension MAMError {
  fileprivate static let emptyData = MAMError(
    .emptyData, "the data is empty, so there is nothing to protect or unprotect")
  fileprivate static let nobody = MAMError(.invalidArguments, "data can only be encrypted for an account")
  fileprivate static let changed = MAMError(
    .failedToDecryptData, "the protected data is damaged: it was changed or cut off",
    hint: "Get the data from its source again")
  fileprivate static let noKey = MAMError(
    .failedToDecryptData, "this app has no key for the protected data",
    hint: "The data was protected on another device or in another state folder, or its account was wiped")
  fileprivate static let notForThisApp = MAMError(
    .failedToDecryptData, "the protected data belongs to an account that is not managed in this app",
    hint: "Enroll the owner of the data in this app")
}
