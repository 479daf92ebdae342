import Cryptography

/// The key that seals all others, unwrapped, and the store it belongs to.
struct StoreKey: Sendable {
  let storeID: String
  let secret: SecretBytes
}

/// `keys/store.key`, and with it the root secret's file.
struct StoreKeyFile: Sendable {
  let folder: StateFolder
  let source: RootSecretSource

  private var file: KeyFile { KeyFile(path: folder.keys + "/store.key") }
  private var rootFile: KeyFile { KeyFile(path: folder.keys + "/root.key") }

  /// Makes the store where there is none yet; who comes second opens what the first has made.
  func open() throws(MAMError) -> StoreKey {
    if let page = try file.bytes(count: KeyPage.size) { return try unwrap(page) }
    try folder.create()
    return try Folder.withLock(folder.keys) { () throws(MAMError) in
      if let page = try file.bytes(count: KeyPage.size) { return try unwrap(page) }
      return try create()
    }
  }

  /// What can be read without the secret; nil where there is no store yet.
  func header() throws(MAMError) -> StoreKeyHeader? {
    guard let page = try file.bytes(count: KeyPage.size) else { return nil }
    guard let header = StoreKeyHeader(page: page) else { throw .damagedKey(file.path) }
    return header
  }

  private func unwrap(_ page: [UInt8]) throws(MAMError) -> StoreKey {
    guard let header = StoreKeyHeader(page: page) else { throw .damagedKey(file.path) }
    let wrapping = try wrappingKey(header, rootSecret(header))
    let key = try MAMError.keys { () throws(CryptographyError) in
      try KeyPage.open(page, headerLength: StoreKeyHeader.length, under: wrapping)
    }
    guard let key else { throw .wrongSecret(file.path) }
    return StoreKey(storeID: header.storeID, secret: key)
  }

  private func create() throws(MAMError) -> StoreKey {
    let header = try MAMError.keys { () throws(CryptographyError) in try StoreKeyHeader(mode: source.mode) }
    if case .keyFile = source { try createRootFile() }
    let wrapping = try wrappingKey(header, rootSecret(header))
    let key = try MAMError.keys { () throws(CryptographyError) in try SecretBytes.random(count: KeyPage.keyLength) }
    let page = try MAMError.keys { () throws(CryptographyError) in
      try KeyPage.seal(key, under: wrapping, header: header.bytes)
    }
    try file.create(page)
    return StoreKey(storeID: header.storeID, secret: key)
  }

  /// A process killed before it made the store leaves a key file that serves as well.
  private func createRootFile() throws(MAMError) {
    guard try rootFile.secret(count: KeyPage.keyLength) == nil else { return }
    let secret = try MAMError.keys { () throws(CryptographyError) in try SecretBytes.random(count: KeyPage.keyLength) }
    try rootFile.create(secret)
  }

  private func rootSecret(_ header: StoreKeyHeader) throws(MAMError) -> SecretBytes {
    switch (header.mode, source) {
    case (.keyFile, .keyFile):
      guard let secret = try rootFile.secret(count: KeyPage.keyLength) else {
        throw .noSecret(rootFile.path, "its key file is missing")
      }
      return secret
    case (.passphrase, .passphrase(let passphrase)): return try stretch(passphrase, header)
    case (.passphrase, .keyFile): throw .noSecret(file.path, "no passphrase was given")
    case (.keyFile, .passphrase): throw .wrongSecret(file.path)
    }
  }

  private func stretch(_ passphrase: SecretBytes, _ header: StoreKeyHeader) throws(MAMError) -> SecretBytes {
    do throws(CryptographyError) {
      return try Scrypt.derive(
        passphrase, salt: header.salt, parameters: header.scrypt, count: KeyPage.keyLength)
    } catch {
      throw error.reason == .invalidParameters ? .damagedKey(file.path) : .cannotMakeKey(error)
    }
  }

  private func wrappingKey(_ header: StoreKeyHeader, _ secret: SecretBytes) throws(MAMError) -> SecretBytes {
    try MAMError.keys { () throws(CryptographyError) in
      try HKDF.derive(salt: header.store, secret: secret, info: Array("mam/root/v1".utf8), count: KeyPage.keyLength)
    }
  }
}
