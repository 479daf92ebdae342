import Glibc
import Model
import Support

/// Gives files their owners, and encrypts or decrypts them as needed. At any moment, each file is either the old one or
/// the new one.
package struct FileProtection: Sendable {
  package let ownership: FileOwnership
  let temporary: TemporaryFiles
  let keys: FileKeys
  /// The state folder of this process.
  let state: String
  /// Checks whether an owner's encrypted files may be read here.
  package typealias CanRead = (DataOwner) throws(MAMError) -> Void

  /// `state` is a folder in which no file may be protected. `temporaryFilesLock` is a lock file, one per app.
  package init(keys: KeyStore, ledger: any FileLedger, state: String, temporaryFilesLock: String) {
    ownership = FileOwnership(ledger: ledger)
    temporary = TemporaryFiles(ledger: ledger, lockPath: temporaryFilesLock)
    self.keys = FileKeys(store: keys)
    self.state = state
  }

  /// `canRead` throws if a file that is encrypted for an owner may not be read.
  func protect(
    _ location: FileLocation, _ goal: FileGoal, canRead: CanRead, _ progress: FileProgress
  ) throws(MAMError) -> ProtectedFile {
    guard let status = try location.status() else { throw .file(location.path, ENOENT) }
    if let obstacle = status.obstacle { throw .unsuitable(location.path, obstacle) }
    let file = try location.openForReading()
    let header = try FileHeader.read(file)
    if header == nil { try ownership.checkNotCutOff(file) }
    guard try !isDone(header, goal) else {
      let isNew = try mark(file, goal)
      try progress.advance(by: status.size)
      return ProtectedFile(size: status.size, outcome: isNew ? .marked : .unchanged)
    }
    if let header { try canRead(header.owner) }
    try replace(location, goal, progress)
    return ProtectedFile(size: status.size, outcome: goal.isEncrypted ? .encrypted : .decrypted)
  }

  /// Whether the file already has the right form, so that only the owner must be recorded.
  private func isDone(_ header: FileHeader?, _ goal: FileGoal) throws(MAMError) -> Bool {
    guard let header else { return !goal.isEncrypted }
    guard goal.isEncrypted, header.owner == goal.owner, try keys.key(of: header) != nil else { return false }
    guard goal.renewsKey || goal.isShared else { return true }
    return try keys.newest(for: goal.owner, isShared: goal.isShared)?.id == header.key
  }

  /// Returns false if the file already has the owner.
  private func mark(_ file: DiskFile, _ goal: FileGoal) throws(MAMError) -> Bool {
    if let owned = try ownership.find(file), owned.owner == goal.owner { return false }
    try CommitPoint.passCurrent()
    try ownership.set(goal.owner, on: file, path: file.path, isEncrypted: goal.isEncrypted)
    return true
  }

  /// Commit point: the rename.
  func replace(_ location: FileLocation, _ goal: FileGoal, _ progress: FileProgress) throws(MAMError) {
    try replace(goal, progress) { fill throws(MAMError) in try FileReplacement.run(location, temporary, fill) }
  }

  /// Encrypts the file under another key of the same kind. The caller must hold the lock of this encrypted file, so
  /// that nobody else changes it.
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

  /// Fills an empty file with the content of another, in the required form.
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
  /// `kind` is `nil` for a file that appeared meanwhile.
  fileprivate static func takenCopy(_ path: String, by kind: NodeStatus.Kind?) -> MAMError {
    .taken(
      path, "decrypted copy", by: kind,
      hint: "Use the path of a new file, or leave out toPath to decrypt the file in place")
  }

  fileprivate static func nobodysFile(_ path: String) -> MAMError {
    MAMError(.invalidArguments, "a file can only be encrypted for an account", path: path)
  }
}

/// What became of a file that was to be protected.
package struct ProtectedFile: Sendable, Equatable {
  package enum Outcome: Sendable {
    /// Also a file that was encrypted anew, under another key.
    case encrypted
    /// The file was encrypted before, and its new owner's policy does not require that.
    case decrypted
    /// The file got an owner, and its content stayed as it was.
    case marked
    case unchanged
  }

  /// In bytes, before.
  package let size: Int
  package let outcome: Outcome

  init(size: Int, outcome: Outcome) {
    self.size = size
    self.outcome = outcome
  }
}

/// The required state of a file.
package struct FileGoal: Sendable {
  let owner: DataOwner
  let isEncrypted: Bool
  /// Uses a key that the account's other apps have, too.
  let isShared: Bool
  /// Also encrypts a file again if only its key differs from the key of a new file.
  let renewsKey: Bool

  package init(owner: DataOwner, isEncrypted: Bool, isShared: Bool = false, renewsKey: Bool = false) {
    self.owner = owner
    self.isEncrypted = isEncrypted
    self.isShared = isShared
    self.renewsKey = renewsKey
  }
}

extension FileProtection {
  /// Creates a new file with the plain content, the owner and the mode of another file. Refuses an existing name.
  /// Commit point: the new file gets its name.
  func decrypt(
    _ location: FileLocation, to target: FileLocation, _ owner: DataOwner, _ progress: FileProgress
  ) throws(MAMError) {
    if let status = try target.status() { throw .takenCopy(target.path, by: status.kind) }
    let source = try LeasedFile(location)
    let temporary = try temporary.make(for: target)
    do throws(MAMError) {
      try fill(temporary.file, from: source, FileGoal(owner: owner, isEncrypted: false), target.path, progress)
      guard try source.isCurrent() else { throw .inUse(location.path) }
      try CommitPoint.passCurrent()
      try temporary.appear(as: target)
    } catch {
      self.temporary.abandon(temporary)
      throw error.fault?.number == EEXIST ? .takenCopy(target.path, by: nil) : error
    }
    try target.folder.sync(dataOnly: false)
    try self.temporary.forget(temporary.name)
  }

  private func fill(
    _ target: DiskFile, from source: LeasedFile, _ goal: FileGoal, _ path: String, _ progress: FileProgress
  ) throws(MAMError) {
    try write(source.file, to: target, goal, progress)
    try ownership.set(goal.owner, on: target, path: path, isEncrypted: false)
    guard fchmod(target.descriptor, source.status.permissions & 0o777) == 0 else { throw .file(path) }
    try target.sync(dataOnly: false)
  }
}

extension FileProtection {
  /// Removes what killed processes left behind, and records what became of their files. `report` receives errors about
  /// files that cannot be removed now; the next call tries again.
  package func removeLeftovers(_ report: (MAMError) -> Void) throws(MAMError) {
    for target in try temporary.removeLeftovers(report) { try meet(target) }
  }

  private func meet(_ path: AbsolutePath) throws(MAMError) {
    let location = try FileLocation(path)
    guard try location.status()?.kind == .file else { return }
    _ = try ownership.find(location.openForReading())
  }
}
