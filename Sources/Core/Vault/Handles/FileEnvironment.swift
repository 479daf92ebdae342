import Model

/// What is needed to open files.
package struct FileEnvironment: Sendable {
  let files: FileProtection
  /// Whether this app may currently use the encrypted files of an owner.
  let mayUse: @Sendable (DataOwner) throws(MAMError) -> Bool

  package init(files: FileProtection, mayUse: @escaping @Sendable (DataOwner) throws(MAMError) -> Bool) {
    self.files = files
    self.mayUse = mayUse
  }

  var keys: FileKeys { files.keys }
  var owners: FileOwnership { files.ownership }

  /// The content of a file; plain unless the file has the magic. With `isSalvaging`, opens a damaged record for
  /// reading.
  func content(of file: DiskFile, isSalvaging: Bool = false) throws(MAMError) -> any PlainText {
    let encrypted = try EncryptedFile.open(file, isSalvaging: isSalvaging) { header throws(MAMError) in
      guard try mayUse(header.owner) else { throw .notManaged(file.path) }
      return try keys.key(of: header)
    }
    if let encrypted { return encrypted }
    try owners.checkNotCutOff(file)
    return PlainFile(file: file)
  }

  /// Throws if the keys are gone, or the owner is no longer managed.
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
      // Pages that reach the disk before their header would be a plain file of unreadable bytes after a power cut.
      try file.sync(dataOnly: true)
    } else {
      try file.truncate(to: 0)
      content = PlainFile(file: file)
    }
    try owners.setOwner(owner.owner, of: file, isEncrypted: content.encryption != nil)
    return content
  }
}

/// The owner of a file that is created or emptied, and whether it is encrypted for them.
package struct NewOwner: Sendable {
  /// `nil` for no user.
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
      .noFileKey, "the file is encrypted for an account that is not managed in this app",
      hint: "Enroll the owner of the file in this app", path: path)
  }
}

/// The keys for one app's encrypted files.
struct FileKeys: Sendable {
  let store: KeyStore

  /// The key for new files of an owner; `nil` for no user. With `isShared`, the key that the account's other apps have,
  /// too.
  func newest(for owner: DataOwner, isShared: Bool = false) throws(MAMError) -> IdentityKey? {
    try KeyName(owner, isShared ? .shared : store.appScope).map { name throws(MAMError) in try store.newestKey(name) }
  }

  /// The key of a file; `nil` if it was destroyed, or belongs to another app or device.
  func key(of header: FileHeader) throws(MAMError) -> IdentityKey? {
    for scope in [store.appScope, .shared] {
      if let name = KeyName(header.owner, scope), let key = try store.key(header.key, of: name) { return key }
    }
    return nil
  }

  /// Whether the account's other apps have the key of the file, too.
  func isShared(_ header: FileHeader) throws(MAMError) -> Bool {
    guard let name = KeyName(header.owner, store.appScope) else { return true }
    return try store.key(header.key, of: name) == nil
  }
}
