import Cryptography
import Model
import Support

/// What keys must know of the device that they are on, and of the app that uses them.
package protocol KeyHome: Sendable {
  /// The folder of the keys.
  var keys: String { get }
  var appId: String { get }
  /// Makes the folder of the keys where it is missing. Throws where other users could change it.
  func create() throws(MAMError)
  /// Whether an app of this name is on the device.
  func hasApp(_ appId: String) -> Bool
}

/// All keys of one device. Opens at first need; keeps what it has unwrapped until another process, or this one,
/// changes keys. What is not kept is read from the disk. A lost or damaged identity key concerns its owner alone.
package final class KeyStore: Sendable {
  private struct Cache {
    var storeKey: StoreKey?
    /// The counter of the epoch page for which the rest holds.
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
  /// That of this app alone.
  let appScope: KeyName.Scope

  package init(_ home: any KeyHome, secret: RootSecretSource = .keyFile, epoch: EpochPage) {
    self.home = home
    self.epoch = epoch
    appScope = .app(home.appId)
    file = StoreKeyFile(home: home, source: secret)
  }

  /// Names the store for ever, in the form of a UUID. Needs the root secret only where the store must be made.
  package var storeID: String {
    get throws(MAMError) {
      if let key = cache.withLock({ $0.storeKey }) { return key.storeID }
      if let header = try file.header() { return header.storeID }
      return try storeKey().storeID
    }
  }

  /// Differs from before when keys have changed: what was derived from them must be derived anew.
  package var generation: UInt64 { epoch.value }

  /// The key in use of this name, made when there is none.
  func newestKey(_ name: KeyName) throws(MAMError) -> IdentityKey {
    let generation = generation
    if let key = cached(generation, { $0.newest[name] }) { return key }
    let (key, isNew) = try folder(name).newestOrNew()
    if isNew { epoch.raise() }
    keep(generation) { $0.newest[name] = key }
    return key
  }

  /// The key with this id, of any epoch; nil when it is destroyed or another store's.
  func key(_ id: KeyID, of name: KeyName) throws(MAMError) -> IdentityKey? {
    let generation = generation
    if let found = cached(generation, { $0.byID[id] }), found.name == name { return found.key }
    guard let key = try folder(name).key(id) else { return nil }
    keep(generation) { $0.byID[id] = (name, key) }
    return key
  }

  /// Seals the store key under another root secret. Processes that have opened the store go on; others need the new
  /// secret. Throws 6003 where no store is.
  package func changeSecret(to new: RootSecretSource) throws(MAMError) { try file.change(to: new) }

  /// What the store says of itself without its secret; nil where there is none yet.
  package static func header(in home: any KeyHome) throws(MAMError) -> StoreKeyHeader? {
    try StoreKeyFile(home: home, source: .keyFile).header()
  }

  /// Makes a new epoch of an owner's keys: the shared one, and that of each app which has the owner. What is
  /// protected from now on is under them, in all processes; the old ones still open what they have sealed.
  /// Returns those apps.
  package func rotate(_ owner: DataOwner) throws(MAMError) -> [String] {
    guard let shared = KeyName(owner, .shared) else { return [] }
    defer { forget() }
    let apps = try AppMarkers(home: home, folder: folder(shared)).apps()
    for name in [shared] + apps.compactMap({ KeyName(owner, .app($0)) }) { try folder(name).rotate() }
    return apps
  }

  /// Counts this app among those of the owner; belongs to enrolling.
  package func addApp(of owner: DataOwner) throws(MAMError) {
    guard let name = KeyName(owner, .shared) else { return }
    try AppMarkers(home: home, folder: folder(name)).add()
  }

  /// Destroys the keys that this app alone has for the owner. Once it returns no process uses them.
  package func destroyAppKeys(of owner: DataOwner) throws(MAMError) {
    guard let name = KeyName(owner, appScope) else { return }
    defer { forget() }
    try folder(name).destroy()
  }

  /// Takes this app from those of the owner; the last one destroys the shared keys. Whether it was the last.
  @discardableResult
  package func removeApp(of owner: DataOwner) throws(MAMError) -> Bool {
    guard let name = KeyName(owner, .shared) else { return true }
    defer { forget() }
    return try AppMarkers(home: home, folder: folder(name)).remove()
  }

  private func folder(_ name: KeyName) throws(MAMError) -> KeyFolder {
    try KeyFolder(name, in: home, storeKey: storeKey())
  }

  /// Makes the store where there is none; later calls need no root secret, and no lock of a folder.
  package func unlock() throws(MAMError) { _ = try storeKey() }

  /// A secret of the caller's under the store key: a nonce, the ciphertext and its tag.
  package func seal(_ secret: SecretBytes, associatedData: [UInt8]) throws(MAMError) -> [UInt8] {
    let key = try storeKey().secret
    return try MAMError.keys { () throws(CryptographyError) in
      let nonce = try Random.bytes(AESGCM.nonceLength)
      return nonce + (try AESGCM.seal(secret, key: key, nonce: nonce, associatedData: associatedData))
    }
  }

  /// What `seal` has sealed; nil where the tag fails.
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

  /// Two threads may both open it; they find the same.
  func storeKey() throws(MAMError) -> StoreKey {
    if let key = cache.withLock({ $0.storeKey }) { return key }
    let key = try file.open()
    cache.withLock { $0.storeKey = key }
    return key
  }

  /// Drops all that was unwrapped before the last change of keys.
  private func cached<Value: Sendable>(_ generation: UInt64, _ value: (Cache) -> Value?) -> Value? {
    cache.withLock { cache in
      if cache.generation != generation { cache.forget(generation) }
      return value(cache)
    }
  }

  /// Unless keys have changed since `generation` was read.
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
