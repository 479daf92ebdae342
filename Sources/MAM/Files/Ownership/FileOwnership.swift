import Glibc
import Model
import SQLite

/// Whom files belong to. The file itself says it, in its header or in an attribute; the store knows where to look, and
/// is alone in knowing it where the file system has no attributes.
package struct FileOwnership: Sendable {
  let store: Store

  /// Nil for a file that nobody has been given. The row of the store follows the file to the name that it has now.
  func find(_ file: DiskFile) throws(MAMError) -> OwnedFile? {
    if let header = try FileHeader.read(file) { return try found(header.owner, .header, file) }
    switch try OwnerAttribute.read(file) {
    case .owner(let owner): return try found(owner, .attribute, file)
    case .none: return nil
    case .unsupported:
      guard let row = try remembered(file), !row.isMarked else { return nil }
      return try found(row.owner, .store, file)
    }
  }

  /// As `find`, but for a file whose header is damaged or gone the store is believed: nothing else knows whose it was.
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
    guard try file.size() < FileHeader.magic.count, let row = try remembered(file), row.isEncrypted else { return }
    let start = try file.start(count: FileHeader.magic.count)
    if FileHeader.magic.starts(with: start), start.count < FileHeader.magic.count { throw .emptiedFile(file.path) }
  }

  /// Gives an encrypted file's owner to the store, or another file's to the file and the store. The row comes first:
  /// killed in between, it speaks of an owner that the file denies, and is not believed. `path` is the name that the file
  /// has or is to get.
  func set(_ owner: DataOwner, on file: DiskFile, path: String, isEncrypted: Bool) throws(MAMError) {
    try store.checkWritable()
    let identity = try FileIdentity(of: file)
    try save(OwnedFileRow(path: path, identity: identity, owner: owner, isMarked: true, isEncrypted: isEncrypted))
    guard !isEncrypted, try !OwnerAttribute.write(owner, to: file) else { return }
    try save(OwnedFileRow(path: path, identity: identity, owner: owner, isMarked: false))
  }

  /// A file that is gone.
  func forget(_ inode: InodeID) throws(MAMError) {
    try store.note { connection throws(SQLiteError) in try connection.removeOwnedFile(inode) }
  }

  /// Costs no change of the store while it is right.
  private func found(_ owner: DataOwner, _ place: FileOwnerPlace, _ file: DiskFile) throws(MAMError) -> OwnedFile {
    let row = OwnedFileRow(
      path: file.path, identity: try FileIdentity(of: file), owner: owner, isMarked: place != .store,
      isEncrypted: place == .header)
    if try known(row.identity) != row { try save(row) }
    return OwnedFile(path: file.path, owner: owner, place: place)
  }

  /// Without a time of birth a number may have been given to another file, so then the path must be the same too.
  private func remembered(_ file: DiskFile) throws(MAMError) -> OwnedFileRow? {
    let identity = try FileIdentity(of: file)
    guard let row = try known(identity), row.identity == identity, identity.born != 0 || row.path == file.path else {
      return nil
    }
    return row
  }

  private func known(_ file: FileIdentity) throws(MAMError) -> OwnedFileRow? {
    try store.read { connection throws(SQLiteError) in try connection.ownedFile(file.inode) }
  }

  private func save(_ row: OwnedFileRow) throws(MAMError) {
    try store.note { connection throws(SQLiteError) in try connection.save(row) }
  }
}
