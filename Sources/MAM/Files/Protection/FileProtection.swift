import Glibc
import Model
import Support

/// Gives files their owners, and makes them encrypted or plain as is wanted. Each file is the old one or the new one at
/// any moment.
package struct FileProtection: Sendable {
  package let ownership: FileOwnership
  let temporary: TemporaryFiles
  let keys: FileKeys
  /// Whose encrypted files may be read here.
  typealias CanRead = (DataOwner) throws(MAMError) -> Void

  /// `canRead` throws where a file that is encrypted for an owner may not be read.
  func protect(
    _ location: FileLocation, _ goal: FileGoal, canRead: CanRead, _ progress: FileProgress
  ) throws(MAMError) {
    guard let status = try location.status() else { throw .file(location.path, ENOENT) }
    if let obstacle = status.obstacle { throw .unsuitable(location.path, obstacle) }
    let file = try location.openForReading()
    let header = try FileHeader.read(file)
    if header == nil { try ownership.checkNotCutOff(file) }
    guard try !isDone(header, goal) else {
      try mark(file, goal)
      return try progress.advance(by: status.size)
    }
    if let header { try canRead(header.owner) }
    try replace(location, goal, progress)
  }

  /// Whether only the owner is to be written.
  private func isDone(_ header: FileHeader?, _ goal: FileGoal) throws(MAMError) -> Bool {
    guard let header else { return !goal.isEncrypted }
    guard goal.isEncrypted, header.owner == goal.owner, try keys.key(of: header) != nil else { return false }
    guard goal.renewsKey || goal.isShared else { return true }
    return try keys.newest(for: goal.owner, isShared: goal.isShared)?.id == header.key
  }

  private func mark(_ file: DiskFile, _ goal: FileGoal) throws(MAMError) {
    if let owned = try ownership.find(file), owned.owner == goal.owner { return }
    guard CommitPoint.current?.pass() ?? true else { throw .stopped }
    try ownership.set(goal.owner, on: file, path: file.path, isEncrypted: goal.isEncrypted)
  }

  /// Commit point: the rename.
  func replace(_ location: FileLocation, _ goal: FileGoal, _ progress: FileProgress) throws(MAMError) {
    try replace(goal, progress) { fill throws(MAMError) in try FileReplacement.run(location, temporary, fill) }
  }

  /// Under another key of the same kind. For who holds the lock of this encrypted file: nobody else changes it.
  func renew(_ file: DiskFile) throws(MAMError) {
    guard let path = AbsolutePath(file.path), let header = try FileHeader.read(file) else {
      throw .file(file.path, EINVAL)
    }
    let goal = FileGoal(owner: header.owner, isEncrypted: true, isShared: try keys.isShared(header))
    let source = try LeasedFile(FileLocation(path), locked: file)
    let progress = FileProgress(total: source.status.size)
    try replace(goal, progress) { fill throws(MAMError) in
      guard try FileReplacement.isDone(source, temporary, fill) else { throw .inUse(file.path) }
    }
    progress.end()
  }

  private func replace(
    _ goal: FileGoal, _ progress: FileProgress, _ run: (FileReplacement.Fill) throws(MAMError) -> Void
  ) throws(MAMError) {
    var old: InodeID?
    var new: InodeID?
    do throws(MAMError) {
      try run { source, target throws(MAMError) in
        (old, new) = (source.status.inode, InodeID(try target.status()))
        try write(source.file, to: target, goal, progress)
        try ownership.set(goal.owner, on: target, path: source.location.path, isEncrypted: goal.isEncrypted)
      }
    } catch {
      if let new { try? ownership.forget(new) }
      throw error
    }
    if let old { try ownership.forget(old) }
  }

  /// Fills an empty file with the content of another, in the form that is wanted.
  func write(
    _ source: DiskFile, to target: DiskFile, _ goal: FileGoal, _ progress: FileProgress
  ) throws(MAMError) {
    var (old, new) = (try content(of: source), try empty(target, goal))
    try new.copy(from: &old, progress)
  }

  func content(of file: DiskFile) throws(MAMError) -> any PlainText {
    let encrypted = try EncryptedFile.open(file) { header throws(MAMError) in try keys.key(of: header) }
    if let encrypted { return encrypted }
    try ownership.checkNotCutOff(file)
    return PlainFile(file: file)
  }

  private func empty(_ file: DiskFile, _ goal: FileGoal) throws(MAMError) -> any PlainText {
    guard goal.isEncrypted else { return PlainFile(file: file) }
    guard let key = try keys.newest(for: goal.owner, isShared: goal.isShared) else { throw .nobodysFile(file.path) }
    return try EncryptedFile.create(on: file, owner: goal.owner, key: key)
  }
}

extension MAMError {
  fileprivate static func nobodysFile(_ path: String) -> MAMError {
    MAMError(.invalidArguments, "a file can only be encrypted for an account", path: path)
  }
}
