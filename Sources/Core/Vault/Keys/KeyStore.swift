// Vault protects bytes. It knows no account and no policy: an owner is an opaque value, and whether a reader may read
// is a closure.
//
// Keys/ has the hierarchy: a root secret (a file, a passphrase or a command) opens the key of the store, which opens
// one key for each owner; destroying that key is what a wipe is. `EpochPage` tells all processes in one atomic load
// that keys or state have changed.
//
// Buffers/ seals bytes that the host keeps itself. Format/ and Disk/ are encrypted files: pages that are sealed one
// by one, so that a reader gets any part without the rest. Handles/ reads and writes them like plain ones.
// Replacement/ encrypts and decrypts a file in place of another so that a power cut leaves one of the two, whole.
// Ownership/ is the mark of a file's owner. Check/ reads on past damage, and says what of a file can still be read.
//
// What a release has written, every later one reads.

import Cryptography
import Model
import Support

/// What keys need to know about their device and the app that uses them.
package protocol KeyHome: Sendable {
  /// The path of the key folder.
  var keys: String { get }
  var appId: String { get }
  /// Creates the key folder if it is missing. Throws if other users could change it.
  func create() throws(MAMError)
  /// Whether an app with this id is on the device.
  func hasApp(_ appId: String) -> Bool
}

/// All keys of one device. Opens when first needed, and caches unwrapped keys until this or another process changes
/// keys. Other keys are read from the disk. A lost or damaged identity key affects only its owner.
package final class KeyStore: Sendable {
  private struct Cache {
    var storeKey: StoreKey?
    /// The value of the epoch counter for which the cache is valid.
    var generation: UInt64 = 0
    var newest: [KeyName: IdentityKey] = [:]
    var byID: [KeyID: (name: KeyName, key: IdentityKey)] = [:]

    mutating func forget(_ generation: UInt64) {
      self.generation = generation
      newest = [:]
      byID = [:]
    }
  }

  private let home: any KeyHome
  private let file: StoreKeyFile
  private let epoch: EpochPage
  private let cache = Lock(Cache())
  /// The scope of this app alone.
  let appScope: KeyName.Scope

  package init(_ home: any KeyHome, secret: RootSecretSource = .keyFile, epoch: EpochPage) {
    self.home = home
    self.epoch = epoch
    appScope = .app(home.appId)
    file = StoreKeyFile(home: home, source: secret)
  }

  /// The permanent id of the store, as a UUID. Needs the root secret only to create the store.
  package var storeID: String {
    get throws(MAMError) {
      if let known = try knownStoreID { return known }
      return try storeKey().storeID
    }
  }

  /// The id of the store; `nil` if there is no store yet.
  package var knownStoreID: String? {
    get throws(MAMError) {
      if let key = cache.withLock({ $0.storeKey }) { return key.storeID }
      return try file.header()?.storeID
    }
  }

  /// Changes when keys change. Anything derived from keys must then be derived again.
  package var generation: UInt64 { epoch.value }

  /// The key in use for this name, created if there is none.
  func newestKey(_ name: KeyName) throws(MAMError) -> IdentityKey {
    if let key = newestKeyInMemory(name) { return key }
    let generation = generation
    let (key, isNew) = try folder(name).newestOrNew()
    if isNew { epoch.raise() }
    keep(generation) { cache in
      cache.newest[name] = key
      cache.byID[key.id] = (name, key)
    }
    return key
  }

  /// The key with this id, of any epoch; `nil` if it was destroyed or belongs to another store.
  func key(_ id: KeyID, of name: KeyName) throws(MAMError) -> IdentityKey? {
    if let key = keyInMemory(id, of: name) { return key }
    let generation = generation
    guard let key = try folder(name).key(id) else { return nil }
    keep(generation) { $0.byID[id] = (name, key) }
    return key
  }

  /// Like `newestKey`; `nil` if the key is not in memory.
  func newestKeyInMemory(_ name: KeyName) -> IdentityKey? { cached(generation) { $0.newest[name] } }

  /// Like `key`; `nil` if the key is not in memory.
  func keyInMemory(_ id: KeyID, of name: KeyName) -> IdentityKey? {
    cached(generation) { cache in cache.byID[id].flatMap { $0.name == name ? $0.key : nil } }
  }

  /// Seals the store key under another root secret. Processes that have opened the store go on; others need the new
  /// secret. Throws 6003 if there is no store.
  package func changeSecret(to new: RootSecretSource) throws(MAMError) { try file.change(to: new) }

  /// What can be read about the store without its secret; `nil` if there is no store yet.
  package static func header(in home: any KeyHome) throws(MAMError) -> StoreKeyHeader? {
    try StoreKeyFile(home: home, source: .keyFile).header()
  }

  /// Starts a new epoch of an owner's keys: the shared key and the key of each app that has the owner. From now on all
  /// processes protect data under the new keys; the old ones still open older data. Returns those apps.
  package func rotate(_ owner: DataOwner) throws(MAMError) -> [String] {
    guard let shared = KeyName(owner, .shared) else { return [] }
    defer { forget() }
    let apps = try AppMarkers(home: home, folder: folder(shared)).apps()
    for name in [shared] + apps.compactMap({ KeyName(owner, .app($0)) }) { try folder(name).rotate() }
    return apps
  }

  /// Counts this app among those of the owner. Part of enrolling.
  package func addApp(of owner: DataOwner) throws(MAMError) {
    guard let name = KeyName(owner, .shared) else { return }
    try AppMarkers(home: home, folder: folder(name)).add()
  }

  /// Destroys the owner's keys that only this app has. After it returns, no process uses them.
  package func destroyAppKeys(of owner: DataOwner) throws(MAMError) {
    guard let name = KeyName(owner, appScope) else { return }
    defer { forget() }
    try folder(name).destroy()
  }

  /// Removes this app from those of the owner, and returns whether it was the last. The last app destroys the shared
  /// keys.
  @discardableResult
  package func removeApp(of owner: DataOwner) throws(MAMError) -> Bool {
    guard let name = KeyName(owner, .shared) else { return true }
    defer { forget() }
    return try AppMarkers(home: home, folder: folder(name)).remove()
  }

  private func folder(_ name: KeyName) throws(MAMError) -> KeyFolder {
    try KeyFolder(name, in: home, storeKey: storeKey())
  }

  /// Creates the store if there is none. Later calls need neither the root secret nor a folder lock.
  package func unlock() throws(MAMError) { _ = try storeKey() }

  /// Seals a secret of the caller under the store key. Returns a nonce, the ciphertext and its tag.
  package func seal(_ secret: SecretBytes, associatedData: [UInt8]) throws(MAMError) -> [UInt8] {
    let key = try storeKey().secret
    return try MAMError.keys { () throws(CryptographyError) in
      let nonce = try Random.bytes(AESGCM.nonceLength)
      return nonce + (try AESGCM.seal(secret, key: key, nonce: nonce, associatedData: associatedData))
    }
  }

  /// Opens what `seal` returned; `nil` if the tag is wrong.
  package func open(_ sealed: [UInt8], associatedData: [UInt8]) throws(MAMError) -> SecretBytes? {
    let key = try storeKey().secret
    guard sealed.count > AESGCM.nonceLength else { return nil }
    do throws(CryptographyError) {
      return try AESGCM.openSecret(
        sealed[AESGCM.nonceLength...], key: key, nonce: sealed[..<AESGCM.nonceLength], associatedData: associatedData)
    } catch {
      guard error.reason == .authenticationFailed else { throw .cannotMakeKey(error) }
      return nil
    }
  }

  /// Two threads may both open the store; they get the same key.
  func storeKey() throws(MAMError) -> StoreKey {
    if let key = cache.withLock({ $0.storeKey }) { return key }
    let key = try file.open()
    cache.withLock { $0.storeKey = key }
    return key
  }

  /// Drops everything that was unwrapped before the last change of keys.
  private func cached<Value: Sendable>(_ generation: UInt64, _ value: (Cache) -> Value?) -> Value? {
    cache.withLock { cache in
      if cache.generation != generation { cache.forget(generation) }
      return value(cache)
    }
  }

  /// Does nothing if keys have changed since `generation` was read.
  private func keep(_ generation: UInt64, _ insert: (inout Cache) -> Void) {
    cache.withLock { cache in
      guard cache.generation == generation else { return }
      insert(&cache)
    }
  }

  private func forget() {
    let generation = epoch.raise()
    cache.withLock { $0.forget(generation) }
  }
}
