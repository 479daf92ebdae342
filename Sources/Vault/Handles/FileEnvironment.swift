import Model

/// What files are opened with.
package struct FileEnvironment: Sendable {
  let files: FileProtection
  /// Whether this app may use the encrypted files of an owner now.
  let mayUse: @Sendable (DataOwner) throws(MAMError) -> Bool

  package init(files: FileProtection, mayUse: @escaping @Sendable (DataOwner) throws(MAMError) -> Bool) {
    self.files = files
    self.mayUse = mayUse
  }

  var keys: FileKeys { files.keys }
  var owners: FileOwnership { files.ownership }

  /// What the file holds; plain for anything without the magic. `isSalvaging`: for reading, a damaged record included.
  func content(of file: DiskFile, isSalvaging: Bool = false) throws(MAMError) -> any PlainText {
    let encrypted = try EncryptedFile.open(file, isSalvaging: isSalvaging) { header throws(MAMError) in
      guard try mayUse(header.owner) else { throw .notManaged(file.path) }
      return try keys.key(of: header)
    }
    if let encrypted { return encrypted }
    try owners.checkNotCutOff(file)
    return PlainFile(file: file)
  }

  /// Refuses when the keys are gone, or the owner is not managed any more.
  func check(_ header: FileHeader, _ file: DiskFile) throws(MAMError) {
    guard try mayUse(header.owner) else { throw .notManaged(file.path) }
    guard try keys.key(of: header) != nil else { throw .noFileKey(file.path) }
  }

  /// Empties the file and gives it to an owner.
  func begin(_ file: DiskFile, for owner: NewOwner) throws(MAMError) -> any PlainText {
    let isEncrypted = owner.isEncrypting
    let content: any PlainText
    if isEncrypted, let owner = owner.owner, let key = try keys.newest(for: owner) {
      content = try EncryptedFile.create(on: file, owner: owner, key: key)
    } else {
      try file.truncate(to: 0)
      content = PlainFile(file: file)
    }
    try owners.setOwner(owner.owner, of: file, isEncrypted: content.encryption != nil)
    return content
  }
}

/// Whose a file becomes that is made or emptied, and whether it is encrypted for them.
package struct NewOwner: Sendable {
  /// Nil for nobody.
  let owner: DataOwner?
  let isEncrypting: Bool

  package init(owner: DataOwner?, isEncrypting: Bool) {
    self.owner = owner
    self.isEncrypting = isEncrypting
  }
}

extension MAMError {
  fileprivate static func notManaged(_ path: String) -> MAMError {
    MAMError(
      .noFileKey, "the file is encrypted for an account that this app is not managed for",
      hint: "Enroll its owner in this app", path: path)
  }
}

/// The keys of one app's encrypted files.
struct FileKeys: Sendable {
  let store: KeyStore

  /// The key that new files of an owner are encrypted with; nil for no user. `isShared`: for other apps of the account
  /// too.
  func newest(for owner: DataOwner, isShared: Bool = false) throws(MAMError) -> IdentityKey? {
    try KeyName(owner, isShared ? .shared : store.appScope).map { name throws(MAMError) in try store.newestKey(name) }
  }

  /// The key of a file; nil when it is destroyed, another app's or another device's.
  func key(of header: FileHeader) throws(MAMError) -> IdentityKey? {
    for scope in [store.appScope, .shared] {
      if let name = KeyName(header.owner, scope), let key = try store.key(header.key, of: name) { return key }
    }
    return nil
  }

  /// Whether the key of a file is one that the account's other apps have too.
  func isShared(_ header: FileHeader) throws(MAMError) -> Bool {
    guard let name = KeyName(header.owner, store.appScope) else { return true }
    return try store.key(header.key, of: name) == nil
  }
}
