import Cryptography
import Model
import Support

/// All keys of one state folder. Opens at first need; keeps what it has unwrapped until another process, or this one,
/// changes keys. What is not kept is read from the disk. A lost or damaged identity key concerns its account alone.
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

  private let state: StateFolder
  private let file: StoreKeyFile
  private let epoch: EpochPage
  private let cache = Lock(Cache())

  package init(_ state: StateFolder, secret: RootSecretSource = .keyFile, epoch: EpochPage) {
    self.state = state
    self.epoch = epoch
    file = StoreKeyFile(folder: state, source: secret)
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

  /// That of this app alone.
  var appScope: KeyName.Scope { .app(state.appId) }

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
  package static func header(in state: StateFolder) throws(MAMError) -> StoreKeyHeader? {
    try StoreKeyFile(folder: state, source: .keyFile).header()
  }

  /// Makes a new epoch of the account's keys: the shared one, and that of each app which has the account. What is
  /// protected from now on is under them, in all processes; the old ones still open what they have sealed.
  /// Returns those apps.
  package func rotate(_ account: Account) throws(MAMError) -> [String] {
    guard let shared = KeyName(account, .shared) else { return [] }
    defer { forget() }
    let apps = try AppMarkers(state: state, folder: folder(shared)).apps()
    for name in [shared] + apps.compactMap({ KeyName(account, .app($0)) }) { try folder(name).rotate() }
    return apps
  }

  /// Counts this app among those of the account; belongs to enrolling.
  package func addApp(of account: Account) throws(MAMError) {
    guard let name = KeyName(account, .shared) else { return }
    try AppMarkers(state: state, folder: folder(name)).add()
  }

  /// Destroys the keys that this app alone has for the account. Once it returns no process uses them.
  package func destroyAppKeys(of account: Account) throws(MAMError) {
    guard let name = KeyName(account, .app(state.appId)) else { return }
    defer { forget() }
    try folder(name).destroy()
  }

  /// Takes this app from those of the account; the last one destroys the shared keys. Whether it was the last.
  @discardableResult
  package func removeApp(of account: Account) throws(MAMError) -> Bool {
    guard let name = KeyName(account, .shared) else { return true }
    defer { forget() }
    return try AppMarkers(state: state, folder: folder(name)).remove()
  }

  private func folder(_ name: KeyName) throws(MAMError) -> KeyFolder {
    try KeyFolder(name, in: state, storeKey: storeKey())
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
