import CGlibc
import Glibc
import Model
import SQLite

/// Makes files for a while, and knows of each in the store before it exists: what a killed process leaves behind is
/// removed at the next start.
struct TemporaryFiles: Sendable {
  let store: Store
  /// A file of which each maker of a temporary file has locked one byte, so that the living can be told from the dead.
  let lockPath: String

  /// A new empty file of this user alone, beside `target`.
  func make(for target: FileLocation) throws(MAMError) -> TemporaryFile {
    try store.checkWritable()
    let name = try TemporaryName.random()
    guard let lock = try lock(name) else { throw .inUse(target.path) }
    try store.note { connection throws(SQLiteError) in
      try connection.run(
        "INSERT INTO temporary_files (id, folder, target) VALUES (?, ?, ?)", name.id, target.folder.path, target.name)
    }
    do throws(MAMError) {
      return try TemporaryFile(for: target, name, lock: lock)
    } catch {
      try? forget(name)
      throw error
    }
  }

  func forget(_ name: TemporaryName) throws(MAMError) {
    try store.note { connection throws(SQLiteError) in
      try connection.run("DELETE FROM temporary_files WHERE id = ?", name.id)
    }
  }

  /// Overwrites and removes it. What cannot be removed now is removed at the next start: the store still knows it.
  func abandon(_ file: TemporaryFile) {
    do throws(MAMError) {
      try file.destroy()
      try forget(file.name)
    } catch {
      return
    }
  }

  /// Gone with its owner, whatever becomes of the process. Nil when another has it.
  func lock(_ name: TemporaryName) throws(MAMError) -> DiskFile? {
    let descriptor = Glibc.open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(lockPath, errno) }
    let lock = DiskFile(descriptor: descriptor, path: lockPath)
    if cglibc_lock_byte(descriptor, name.id) == 0 { return lock }
    guard errno == EAGAIN || errno == EACCES else { throw .cannotUse(lockPath, errno) }
    return nil
  }
}

/// A file that is to take another's place, or a new one.
final class TemporaryFile: Sendable {
  let location: FileLocation
  let name: TemporaryName
  let file: DiskFile
  private let lock: DiskFile

  /// Its errors name the target: nobody knows the other name.
  fileprivate init(for target: FileLocation, _ name: TemporaryName, lock: DiskFile) throws(MAMError) {
    location = target.sibling(name.text)
    self.name = name
    self.lock = lock
    file = try location.open(O_RDWR | O_CREAT | O_EXCL, mode: 0o600, for: target.path)
  }

  /// Puts it in the place of `target`, at once and whole.
  func replace(_ target: FileLocation) throws(MAMError) {
    let folder = location.folder.descriptor
    guard renameat(folder, location.name, folder, target.name) == 0 else { throw .file(target.path, errno) }
  }

  /// Gives it a name that nothing has yet.
  func appear(as target: FileLocation) throws(MAMError) {
    let folder = location.folder.descriptor
    guard cglibc_rename_new(folder, location.name, folder, target.name) == 0 else {
      throw .file(target.path, errno)
    }
  }

  /// It may hold what nobody is to find on the disk. Does nothing once it has another name.
  func destroy() throws(MAMError) {
    guard try location.status()?.inode == InodeID(file.status()) else { return }
    try file.overwrite()
    try location.remove()
  }
}
