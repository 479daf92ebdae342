import Model

/// What files are opened with.
struct FileEnvironment: Sendable {
  let keys: FileKeys
  let owners: any FileOwners
  /// Whether this app may use the encrypted files of an owner now.
  let mayUse: @Sendable (DataOwner) throws(MAMError) -> Bool
  /// Puts an encrypted file in its own place under another key; for who holds its lock.
  let renew: @Sendable (DiskFile) throws(MAMError) -> Void

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
struct NewOwner: Sendable {
  /// Nil for nobody.
  let owner: DataOwner?
  let isEncrypting: Bool
}

extension MAMError {
  fileprivate static func notManaged(_ path: String) -> MAMError {
    MAMError(
      .noFileKey, "the file is encrypted for an account that this app is not managed for",
      hint: "Enroll its owner in this app", path: path)
  }
}
