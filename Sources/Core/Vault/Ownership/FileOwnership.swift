import Glibc
import Model

/// The owners of files. A file itself names its owner, in its header or an attribute. The ledger knows where to look,
/// and is the only record if the file system has no attributes.
package struct FileOwnership: Sendable {
  let ledger: any FileLedger

  /// `nil` for a file without an owner. The ledger learns the file's current name.
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

  /// Like `find`, but trusts the ledger for a file whose header is damaged or gone, because nothing else knows the
  /// owner.
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

  /// Throws `fileTruncated` for a file that was encrypted, but lost so much that it no longer shows this.
  func checkNotCutOff(_ file: DiskFile) throws(MAMError) {
    guard try file.size() < FileHeader.magic.count, let entry = try remembered(file), entry.isEncrypted else { return }
    let start = try file.start(count: FileHeader.magic.count)
    if FileHeader.magic.starts(with: start), start.count < FileHeader.magic.count { throw .emptiedFile(file.path) }
  }

  /// Records the owner of an encrypted file in the ledger, and of any other file in the file and the ledger. The entry
  /// is written first: if the process is killed in between, the file contradicts the entry and the entry is ignored.
  /// `path` is the current or future name of the file.
  func set(_ owner: DataOwner, on file: DiskFile, path: String, isEncrypted: Bool) throws(MAMError) {
    try ledger.checkWritable()
    let identity = try FileIdentity(of: file)
    try ledger.remember(
      OwnedFileEntry(path: path, identity: identity, owner: owner, isMarked: true, isEncrypted: isEncrypted))
    guard !isEncrypted, try !OwnerAttribute.write(owner, to: file) else { return }
    try ledger.remember(OwnedFileEntry(path: path, identity: identity, owner: owner, isMarked: false))
  }

  /// Forgets a file that is gone.
  func forget(_ inode: InodeID) throws(MAMError) { try ledger.forgetOwnedFile(inode) }

  /// Does not write to the ledger if its entry is correct.
  private func found(_ owner: DataOwner, _ place: FileOwnerPlace, _ file: DiskFile) throws(MAMError) -> OwnedFile {
    let identity = try FileIdentity(of: file)
    let entry = OwnedFileEntry(
      path: file.path, identity: identity, owner: owner, isMarked: place != .store, isEncrypted: place == .header)
    if try ledger.ownedFile(identity.inode) != entry { try ledger.remember(entry) }
    return OwnedFile(path: file.path, owner: owner, place: place)
  }

  /// Without a birth time, the inode number may belong to another file by now, so the path must match, too.
  private func remembered(_ file: DiskFile) throws(MAMError) -> OwnedFileEntry? {
    let identity = try FileIdentity(of: file)
    let entry = try ledger.ownedFile(identity.inode)
    guard let entry, entry.identity == identity, identity.born != 0 || entry.path == file.path else { return nil }
    return entry
  }

  func owner(of file: DiskFile) throws(MAMError) -> DataOwner? { try find(file)?.owner }

  /// Without an owner, the file belongs to no user from now on. The header of an encrypted file already names its
  /// owner.
  func setOwner(_ owner: DataOwner?, of file: DiskFile, isEncrypted: Bool) throws(MAMError) {
    if isEncrypted || owner == nil { try OwnerAttribute.remove(from: file) }
    if let owner {
      try set(owner, on: file, path: file.path, isEncrypted: isEncrypted)
    } else {
      try forget(InodeID(file.status()))
    }
  }
}
