import Cryptography
import Model

/// The unwrapped key that seals all other keys, and the id of its store.
struct StoreKey: Sendable {
  let storeID: String
  let secret: SecretBytes
}

/// `keys/store.key` and the root secret that opens it.
struct StoreKeyFile: Sendable {
  let home: any KeyHome
  let source: RootSecretSource

  var file: KeyFile { KeyFile(path: home.keys + "/store.key") }

  /// Opens the store, or creates it if there is none. If two processes create it, the second opens what the first has
  /// created.
  func open() throws(MAMError) -> StoreKey {
    if let page = try file.bytes(count: KeyPage.size) {
      do throws(MAMError) {
        return try unwrap(page)
      } catch {
        return try openAfterChange(of: page, failure: error)
      }
    }
    try home.create()
    return try Folder.withLock(home.keys) { () throws(MAMError) in
      if let page = try file.bytes(count: KeyPage.size) { return try unwrap(page) }
      return try create()
    }
  }

  /// The part that is readable without the secret; `nil` if there is no store yet.
  func header() throws(MAMError) -> StoreKeyHeader? {
    guard let page = try file.bytes(count: KeyPage.size) else { return nil }
    if let header = StoreKeyHeader(page: page) { return header }
    // A change of the secret may have been overwriting the old page.
    return try Folder.withLock(home.keys) { () throws(MAMError) in
      guard let page = try file.bytes(count: KeyPage.size) else { return nil }
      guard let header = StoreKeyHeader(page: page) else { throw MAMError.damagedKey(file.path) }
      return header
    }
  }

  func unwrap(_ page: [UInt8]) throws(MAMError) -> StoreKey {
    guard let header = StoreKeyHeader(page: page) else { throw .damagedKey(file.path) }
    return try unwrap(page, header, with: try RootSecret(source, home).secret(for: header))
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

  /// The content of store.key if `key` is sealed under that secret.
  func page(of key: SecretBytes, _ header: StoreKeyHeader, under secret: SecretBytes) throws(MAMError) -> [UInt8] {
    let wrapping = try header.wrappingKey(secret)
    return try MAMError.keys { () throws(CryptographyError) in
      try KeyPage.seal(key, under: wrapping, header: header.bytes)
    }
  }

  private func create() throws(MAMError) -> StoreKey {
    guard try !hasIdentityKeys() else { throw .lostStoreKey(file.path) }
    try source.checkStrength()
    let header = try MAMError.keys { () throws(CryptographyError) in try StoreKeyHeader(source) }
    let root = RootSecret(source, home)
    try root.createFile()
    let key = try MAMError.keys { () throws(CryptographyError) in try SecretBytes.random(count: KeyPage.keyLength) }
    try file.create(try page(of: key, header, under: try root.secret(for: header)))
    return StoreKey(storeID: header.storeID, secret: key)
  }

  /// Whether a store was created here before and has lost its key.
  private func hasIdentityKeys() throws(MAMError) -> Bool {
    try Folder.names(home.keys).contains { $0.utf8.count == 64 && Folder.exists(home.keys + "/" + $0) }
  }
}

extension StoreKeyHeader {
  func wrappingKey(_ secret: SecretBytes) throws(MAMError) -> SecretBytes {
    try MAMError.keys { () throws(CryptographyError) in
      try HKDF.derive(salt: store, secret: secret, info: Array("mam/root/v1".utf8), count: KeyPage.keyLength)
    }
  }
}

/// Changing the root secret of a store key. A new key file that replaces another stays beside it as `<name>.next` until
/// store.key is sealed under it. Whenever the process is killed, one of the two opens the store.
extension StoreKeyFile {
  /// Rewrites only store.key, atomically. Nothing that it seals changes, so processes that have opened the store go on.
  /// The key file in the state folder is created anew, and destroyed when it is no longer needed. A key file elsewhere
  /// is kept, unless the new secret goes to the same file.
  func change(to new: RootSecretSource) throws(MAMError) {
    try Folder.withLock(home.keys) { () throws(MAMError) in
      guard let page = try file.bytes(count: KeyPage.size) else { throw .noStore(file.path) }
      let key = try unwrapUnderLock(page)
      guard let header = StoreKeyHeader(page: page) else { throw .damagedKey(file.path) }
      try StoreKeyFile(home: home, source: new).take(key, of: header, from: RootSecret(source, home))
    }
  }

  /// A process may have read store.key before a change and the key file after it, or may find an interrupted change.
  func openAfterChange(of page: [UInt8], failure: MAMError) throws(MAMError) -> StoreKey {
    try Folder.withLock(home.keys) { () throws(MAMError) in
      let newPage = try file.bytes(count: KeyPage.size)
      guard let newPage, newPage != page || source.mode == .keyFile else { throw failure }
      return try unwrapUnderLock(newPage)
    }
  }

  /// Finishes a change that was interrupted after its commit.
  private func unwrapUnderLock(_ page: [UInt8]) throws(MAMError) -> StoreKey {
    do throws(MAMError) {
      return try unwrap(page)
    } catch {
      guard let header = StoreKeyHeader(page: page), header.mode == .keyFile,
        let file = RootSecret(source, home).file, let secret = try? file.next.secret(count: KeyPage.keyLength),
        let key = try? unwrap(page, header, with: secret)
      else { throw error }
      try file.next.move(to: file)
      return key
    }
  }

  private func take(_ key: StoreKey, of old: StoreKeyHeader, from former: RootSecret) throws(MAMError) {
    try source.checkStrength()
    let root = RootSecret(source, home)
    let header = try MAMError.keys { () throws(CryptographyError) in try StoreKeyHeader(old, source) }
    let standard = RootSecret.standardFile(in: home)
    if let rootFile = root.file, [standard, former.file].contains(where: { $0?.isSame(as: rootFile) ?? false }) {
      let secret = try RootSecret.random()
      try rootFile.next.create(secret)
      try file.create(try page(of: key.secret, header, under: secret))
      try rootFile.next.move(to: rootFile)
    } else {
      try root.createFile()
      try file.create(try page(of: key.secret, header, under: try root.secret(for: header)))
      if root.file?.isSame(as: standard) != true { try standard.destroy() }
    }
  }
}

extension KeyFile {
  fileprivate var next: KeyFile { KeyFile(path: path + ".next") }

  fileprivate func isSame(as other: KeyFile) -> Bool { path == other.path || Folder.isSame(path, other.path) }
}
