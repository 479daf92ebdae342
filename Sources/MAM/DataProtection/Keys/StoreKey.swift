import Cryptography
import Model

/// The key that seals all others, unwrapped, and the store it belongs to.
struct StoreKey: Sendable {
  let storeID: String
  let secret: SecretBytes
}

/// `keys/store.key`, and with it the root secret.
struct StoreKeyFile: Sendable {
  let folder: StateFolder
  let source: RootSecretSource

  var file: KeyFile { KeyFile(path: folder.keys + "/store.key") }

  /// Makes the store where there is none yet; who comes second opens what the first has made.
  func open() throws(MAMError) -> StoreKey {
    if let page = try file.bytes(count: KeyPage.size) {
      do throws(MAMError) {
        return try unwrap(page)
      } catch {
        return try openAfterChange(of: page, failure: error)
      }
    }
    try folder.create()
    return try Folder.withLock(folder.keys) { () throws(MAMError) in
      if let page = try file.bytes(count: KeyPage.size) { return try unwrap(page) }
      return try create()
    }
  }

  /// What can be read without the secret; nil where there is no store yet.
  func header() throws(MAMError) -> StoreKeyHeader? {
    guard let page = try file.bytes(count: KeyPage.size) else { return nil }
    if let header = StoreKeyHeader(page: page) { return header }
    // Or a change was just overwriting the page, which another has followed.
    return try Folder.withLock(folder.keys) { () throws(MAMError) in
      guard let page = try file.bytes(count: KeyPage.size) else { return nil }
      guard let header = StoreKeyHeader(page: page) else { throw MAMError.damagedKey(file.path) }
      return header
    }
  }

  func unwrap(_ page: [UInt8]) throws(MAMError) -> StoreKey {
    guard let header = StoreKeyHeader(page: page) else { throw .damagedKey(file.path) }
    return try unwrap(page, header, with: try RootSecret(source, folder).secret(for: header))
  }

  func unwrap(
    _ page: [UInt8], _ header: StoreKeyHeader, with secret: SecretBytes
  ) throws(MAMError) -> StoreKey {
    let wrapping = try header.wrappingKey(secret)
    let key = try MAMError.keys { () throws(CryptographyError) in
      try KeyPage.open(page, headerLength: StoreKeyHeader.length, under: wrapping)
    }
    guard let key else { throw .wrongSecret(file.path) }
    return StoreKey(storeID: header.storeID, secret: key)
  }

  /// What store.key holds when `key` hangs on that secret.
  func page(of key: SecretBytes, _ header: StoreKeyHeader, under secret: SecretBytes) throws(MAMError) -> [UInt8] {
    let wrapping = try header.wrappingKey(secret)
    return try MAMError.keys { () throws(CryptographyError) in
      try KeyPage.seal(key, under: wrapping, header: header.bytes)
    }
  }

  private func create() throws(MAMError) -> StoreKey {
    guard try !folder.hasIdentityKeys() else { throw .lostStoreKey(file.path) }
    try source.checkStrength()
    let header = try MAMError.keys { () throws(CryptographyError) in try StoreKeyHeader(source) }
    let root = RootSecret(source, folder)
    try root.createFile()
    let key = try MAMError.keys { () throws(CryptographyError) in try SecretBytes.random(count: KeyPage.keyLength) }
    try file.create(try page(of: key, header, under: try root.secret(for: header)))
    return StoreKey(storeID: header.storeID, secret: key)
  }
}

extension StoreKeyHeader {
  func wrappingKey(_ secret: SecretBytes) throws(MAMError) -> SecretBytes {
    try MAMError.keys { () throws(CryptographyError) in
      try HKDF.derive(salt: store, secret: secret, info: Array("mam/root/v1".utf8), count: KeyPage.keyLength)
    }
  }
}

extension StateFolder {
  /// Whether a store was made here before, wherever its key has gone.
  fileprivate func hasIdentityKeys() throws(MAMError) -> Bool {
    try Folder.names(keys).contains { $0.utf8.count == 64 && Folder.exists(keys + "/" + $0) }
  }
}
