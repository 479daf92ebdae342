import Glibc
import Model

/// Whom files belong to. The file itself says it, in its header or in an attribute; the ledger knows where to look, and
/// is alone in knowing it where the file system has no attributes.
package struct FileOwnership: Sendable {
  let ledger: any FileLedger

  /// Nil for a file that nobody has been given. The ledger follows the file to the name that it has now.
  func find(_ file: DiskFile) throws(MAMError) -> OwnedFile? {
    if let header = try FileHeader.read(file) { return try found(header.owner, .header, file) }
    switch try OwnerAttribute.read(file) {
    case .owner(let owner): return try found(owner, .attribute, file)
    case .none: return nil
    case .unsupported:
      guard let entry = try remembered(file), !entry.isMarked else { return nil }
      return try found(entry.owner, .store, file)
    }
  }

  /// As `find`, but for a file whose header is damaged or gone the ledger is believed: nothing else knows whose it was.
  func findDamagedToo(_ file: DiskFile) throws(MAMError) -> OwnedFile? {
    do throws(MAMError) {
      let found = try find(file)
      if found == nil { try checkNotCutOff(file) }
      return found
    } catch {
      guard error.mayBeHalfWritten else { throw error }
      return try remembered(file).map { OwnedFile(path: file.path, owner: $0.owner, place: .header) }
    }
  }

  /// Throws `fileTruncated` for a file that was encrypted, and has lost so much that nothing in it tells that any more.
  func checkNotCutOff(_ file: DiskFile) throws(MAMError) {
    guard try file.size() < FileHeader.magic.count, let entry = try remembered(file), entry.isEncrypted else { return }
    let start = try file.start(count: FileHeader.magic.count)
    if FileHeader.magic.starts(with: start), start.count < FileHeader.magic.count { throw .emptiedFile(file.path) }
  }

  /// Gives an encrypted file's owner to the ledger, or another file's to the file and the ledger. The entry comes first:
  /// killed in between, it speaks of an owner that the file denies, and is not believed. `path` is the name that the file
  /// has or is to get.
  func set(_ owner: DataOwner, on file: DiskFile, path: String, isEncrypted: Bool) throws(MAMError) {
    try ledger.checkWritable()
    let identity = try FileIdentity(of: file)
    try ledger.remember(
      OwnedFileEntry(path: path, identity: identity, owner: owner, isMarked: true, isEncrypted: isEncrypted))
    guard !isEncrypted, try !OwnerAttribute.write(owner, to: file) else { return }
    try ledger.remember(OwnedFileEntry(path: path, identity: identity, owner: owner, isMarked: false))
  }

  /// A file that is gone.
  func forget(_ inode: InodeID) throws(MAMError) { try ledger.forgetOwnedFile(inode) }

  /// Costs no change of the ledger while it is right.
  private func found(_ owner: DataOwner, _ place: FileOwnerPlace, _ file: DiskFile) throws(MAMError) -> OwnedFile {
    let identity = try FileIdentity(of: file)
    let entry = OwnedFileEntry(
      path: file.path, identity: identity, owner: owner, isMarked: place != .store, isEncrypted: place == .header)
    if try ledger.ownedFile(identity.inode) != entry { try ledger.remember(entry) }
    return OwnedFile(path: file.path, owner: owner, place: place)
  }

  /// Without a time of birth a number may have been given to another file, so then the path must be the same too.
  private func remembered(_ file: DiskFile) throws(MAMError) -> OwnedFileEntry? {
    let identity = try FileIdentity(of: file)
    let entry = try ledger.ownedFile(identity.inode)
    guard let entry, entry.identity == identity, identity.born != 0 || entry.path == file.path else { return nil }
    return entry
  }

  func owner(of file: DiskFile) throws(MAMError) -> DataOwner? { try find(file)?.owner }

  /// Without an owner the file belongs to nobody from now on. The header of an encrypted one says it already.
  func setOwner(_ owner: DataOwner?, of file: DiskFile, isEncrypted: Bool) throws(MAMError) {
    if isEncrypted || owner == nil { try OwnerAttribute.remove(from: file) }
    if let owner {
      try set(owner, on: file, path: file.path, isEncrypted: isEncrypted)
    } else {
      try forget(InodeID(file.status()))
    }
  }
}
