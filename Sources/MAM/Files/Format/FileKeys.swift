import Model

/// The keys of one app's encrypted files.
struct FileKeys: Sendable {
  let store: KeyStore
  let appId: String

  init(store: KeyStore, appId: String) {
    self.store = store
    self.appId = appId
  }

  /// The key that new files of an owner are encrypted with; nil for no user. `isShared`: for other apps of the account
  /// too.
  func newest(for owner: DataOwner, isShared: Bool = false) throws(MAMError) -> IdentityKey? {
    try name(owner, isShared ? .shared : .app(appId)).map { name throws(MAMError) in try store.newestKey(name) }
  }

  /// The key of a file; nil when it is destroyed, another app's or another device's.
  func key(of header: FileHeader) throws(MAMError) -> IdentityKey? {
    for scope in [.app(appId), .shared] as [KeyName.Scope] {
      if let name = name(header.owner, scope), let key = try store.key(header.key, of: name) { return key }
    }
    return nil
  }

  /// Whether the key of a file is one that the account's other apps have too.
  func isShared(_ header: FileHeader) throws(MAMError) -> Bool {
    guard let name = name(header.owner, .app(appId)) else { return true }
    return try store.key(header.key, of: name) == nil
  }

  private func name(_ owner: DataOwner, _ scope: KeyName.Scope) -> KeyName? {
    KeyName(accountId: owner.accountId, identity: owner.identity, scope: scope)
  }
}
