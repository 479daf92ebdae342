import Glibc
import Model

extension Core {
  /// Gives a file an owner; encrypts it when the owner's policy wants that, and decrypts it when it does not. Null is no
  /// user. Encrypts anew also what only has an older key, or one that other apps have too.
  package func protectFile(_ path: AbsolutePath, for reference: AccountReference?) throws(MAMError) {
    try openFiles(at: path).protect(goal(for: reference, renewsKey: true), canRead: checkMayRead)
  }

  /// The same with every file of a folder. `renewsKey`: also where only the key is not the one of a new file. `root` is
  /// a folder that links on the path must not lead out of.
  package func protectFiles(
    _ path: AbsolutePath, for reference: AccountReference?, renewsKey: Bool, stayingIn root: AbsolutePath? = nil
  ) throws(MAMError) {
    let files = try openFiles(at: path, stayingIn: root)
    let goal = try goal(for: reference, renewsKey: renewsKey)
    guard try files.location.isFolder else { return try files.protect(goal, canRead: checkMayRead) }
    let folder = try files.location.open(O_RDONLY | O_DIRECTORY)
    try FolderProtection(files: files.protection, state: files.state, goal: goal, canRead: checkMayRead).run(folder)
  }

  private func goal(for reference: AccountReference?, renewsKey: Bool) throws(MAMError) -> FileGoal {
    try state.checkManagement(isNeeded: true)
    let reference = reference ?? .noUser
    try state.account(reference)?.checkNotWiping()
    let isEncrypted = state.account(reference)?.isFileEncryptionRequired ?? false
    return FileGoal(owner: state.owner(reference), isEncrypted: isEncrypted, renewsKey: renewsKey)
  }

  /// Encrypts a file for a managed account, so that its managed apps can read it, whatever its policy says.
  package func encryptFile(_ path: AbsolutePath, for reference: AccountReference?) throws(MAMError) {
    let files = try openFiles(at: path)
    guard let reference else { throw .invalidArguments }
    try state.checkManagement(isNeeded: true)
    guard state.account(reference)?.isManaged ?? false else { throw .ownerNotManaged(path.text) }
    try state.account(reference)?.checkNotWiping()
    try files.protect(
      FileGoal(owner: state.owner(reference), isEncrypted: true, isShared: true), canRead: checkMayRead)
  }

  /// In place, or to a new file that is as plain and as owned. A file that is owned and plain stays as it is.
  /// Throws 1104 for one that is neither.
  package func decryptFile(_ path: AbsolutePath, to copy: AbsolutePath?) throws(MAMError) {
    let files = try openFiles(at: path)
    if let obstacle = try files.location.status()?.obstacle { throw .unsuitable(path.text, obstacle) }
    let file = try files.location.openForReading()
    guard let owned = try files.protection.ownership.find(file) else {
      try files.protection.ownership.checkNotCutOff(file)
      throw .notProtected(path.text)
    }
    if owned.isEncrypted { try checkMayRead(owned.owner) }
    let progress = FileProgress(total: try file.size())
    if let copy {
      let target = try FileLocation(copy)
      try files.state.check(target.folder)
      try files.protection.decrypt(files.location, to: target, owned.owner, progress)
    } else if owned.isEncrypted {
      try files.protection.replace(files.location, FileGoal(owner: owned.owner, isEncrypted: false), progress)
    }
    progress.end()
  }

  /// False for what is no file.
  package func isFileEncrypted(_ path: AbsolutePath) throws(MAMError) -> Bool {
    try openFiles()
    return try openedFile(path).map { file throws(MAMError) in try FileHeader.read(file) != nil } ?? false
  }

  /// Nil for what has no owner, and for what is no file.
  package func fileProtectionInfo(_ path: AbsolutePath) throws(MAMError) -> FileProtectionInfo? {
    let protection = try openFiles()
    return try openedFile(path).map { file throws(MAMError) in
      try protection.ownership.find(file).map(FileProtectionInfo.init)
    } ?? nil
  }

  /// The owner of a protected file, or of the protected buffer that a file holds.
  package func owner(ofContentAt path: AbsolutePath) throws(MAMError) -> Account? {
    let protection = try openFiles()
    guard let file = try openedFile(path) else { return nil }
    if let owned = try protection.ownership.find(file) { return owned.owner.account }
    let start = try file.start(count: BufferHeader.maximumLength)
    return start.isEmpty ? nil : try protectionInfo(start)
  }

  /// Nil where there is nothing, or what is no regular file.
  private func openedFile(_ path: AbsolutePath) throws(MAMError) -> DiskFile? {
    do throws(MAMError) {
      let location = try FileLocation(path)
      return try location.status()?.kind == .file ? location.openForReading() : nil
    } catch {
      guard [ENOENT, ENOTDIR].contains(error.fault?.number) else { throw error }
      return nil
    }
  }
}
