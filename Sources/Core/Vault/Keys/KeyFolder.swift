import Cryptography
import Model
import Support

/// The folder of one identity key: a file for each epoch. The highest epoch is in use.
struct KeyFolder: Sendable {
  private static let suffix = ".key"
  private let parent: String
  private let name: [UInt8]
  private let storeKey: StoreKey

  init(_ key: KeyName, in home: any KeyHome, storeKey: StoreKey) throws(MAMError) {
    parent = home.keys
    self.storeKey = storeKey
    name = try MAMError.keys { () throws(CryptographyError) in
      try HMACSHA256.authenticate(key.bytes, key: storeKey.secret)
    }
  }

  var path: String { parent + "/" + Hex.encode(name) }

  /// The key in use, created if there is none.
  func newestOrNew() throws(MAMError) -> (key: IdentityKey, isNew: Bool) {
    if let key = try newest(key) { return (key, false) }
    try Folder.make(path, in: parent)
    return try Folder.withLock(path) { () throws(MAMError) in
      if let key = try newest(keyUnderLock) { return (key, false) }
      return (try create(epoch: 1), true)
    }
  }

  /// Creates the key to use from now on, even if the current key is damaged.
  func rotate() throws(MAMError) {
    try Folder.make(path, in: parent)
    try Folder.withLock(path) { () throws(MAMError) in
      let last = try epochs().last ?? 0
      guard last < .max else { throw .damagedKey(file(last).path) }
      _ = try create(epoch: last + 1)
    }
  }

  /// The key with this id, of any epoch. A damaged epoch is an error only if no other epoch has the key.
  func key(_ id: KeyID) throws(MAMError) -> IdentityKey? {
    var failure: MAMError?
    for epoch in try epochs().reversed() {
      do throws(MAMError) {
        if let key = try key(epoch: epoch), key.id == id { return key }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return nil
  }

  /// Overwrites and removes the keys of all epochs. The caller must hold the folder's lock.
  func destroyUnderLock() throws(MAMError) {
    for name in try Folder.names(path) where name.hasSuffix(Self.suffix) || name.hasSuffix(KeyFile.newSuffix) {
      try KeyFile(path: path + "/" + name).destroy()
    }
  }

  func destroy() throws(MAMError) {
    guard Folder.exists(path) else { return }
    try Folder.withLock(path) { () throws(MAMError) in try destroyUnderLock() }
  }

  /// In ascending order.
  func epochs() throws(MAMError) -> [UInt32] {
    try Folder.names(path).compactMap { name in
      UInt32(name.dropLast(Self.suffix.count)).flatMap { name == "\($0)\(Self.suffix)" ? $0 : nil }
    }.sorted()
  }

  private func newest(_ load: (UInt32) throws(MAMError) -> IdentityKey?) throws(MAMError) -> IdentityKey? {
    guard let epoch = try epochs().last else { return nil }
    return try load(epoch)
  }

  /// A page that does not open may be in the middle of being destroyed, so it is read again under the lock.
  private func key(epoch: UInt32) throws(MAMError) -> IdentityKey? {
    do throws(MAMError) {
      return try keyUnderLock(epoch: epoch)
    } catch {
      guard error.code == .damaged else { throw error }
      return try Folder.withLock(path) { () throws(MAMError) in try keyUnderLock(epoch: epoch) }
    }
  }

  private func keyUnderLock(epoch: UInt32) throws(MAMError) -> IdentityKey? {
    let file = file(epoch)
    guard let page = try file.bytes(count: KeyPage.size) else { return nil }
    let key = try MAMError.keys { () throws(CryptographyError) in
      try IdentityKey(page: page, epoch: epoch, folder: name, under: storeKey.secret)
    }
    guard let key else { throw .damagedKey(file.path) }
    return key
  }

  private func create(epoch: UInt32) throws(MAMError) -> IdentityKey {
    let (key, page) = try MAMError.keys { () throws(CryptographyError) in
      let key = try IdentityKey.random(epoch: epoch)
      return (key, try key.page(folder: name, under: storeKey.secret))
    }
    try file(epoch).create(page)
    return key
  }

  private func file(_ epoch: UInt32) -> KeyFile { KeyFile(path: "\(path)/\(epoch)\(Self.suffix)") }
}
