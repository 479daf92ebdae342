import Glibc
import Model
import SQLite
import Support

extension FileOwnership {
  /// Removes a file that still belongs to who `isOwner` names. One that was given to somebody else meanwhile stays.
  ///
  /// One whose lock another process holds stays too, as `fileInUse`: that process is writing it.
  ///
  /// Killed in between, a plain one is found again by what it carries; an encrypted one, which would not be without its
  /// header, loses its name first.
  func remove(_ owned: OwnedFile, where isOwner: (DataOwner) -> Bool) throws(MAMError) {
    guard let path = AbsolutePath(owned.path) else { return }
    let location = try FileLocation(path)
    let (file, canWrite) = try openForRemoval(location)
    let inode = InodeID(try file.status())
    let isRemoved = try FileLock.of(file).withLock(file, atMost: Self.patience) { () throws(MAMError) -> Bool in
      guard let current = try findDamagedToo(file), isOwner(current.owner) else { return false }
      if canWrite, !current.isEncrypted { try? file.overwrite() }
      guard try location.status()?.inode == inode else { throw .inUse(location.path) }
      try location.remove()
      if canWrite, current.isEncrypted { try? file.overwrite(upTo: FileLayout.pageSize) }
      return true
    }
    guard isRemoved else { return }
    try location.folder.sync(dataOnly: false)
    try forget(inode)
  }

  /// For one file: a wipe has many, and goes on with what is left later.
  private static let patience = Duration.milliseconds(500)

  /// Drops what is known of files that belonged to who `isOwner` names, and were not where they were last met. How many.
  func forgetFiles(where isOwner: @Sendable (DataOwner) -> Bool) throws(MAMError) -> Int {
    try store.note { connection throws(SQLiteError) in
      let rows = try connection.ownedFiles().filter { isOwner($0.owner) }
      for row in rows { try connection.removeOwnedFile(row.identity.inode) }
      try connection.removeProviderOwners(where: isOwner)
      return rows.count
    }
  }

  /// Whoever may not write a file may still be allowed to remove it.
  private func openForRemoval(_ location: FileLocation) throws(MAMError) -> (file: DiskFile, canWrite: Bool) {
    if let file = try? location.open(O_RDWR) { return (file, true) }
    return (try location.openForReading(), false)
  }
}
