import Glibc
import Model

/// A file or folder that a host wants to change, and that is not part of a state folder.
package struct GuardedFile {
  private let path: AbsolutePath
  private let files: FileProtection
  private let location: FileLocation
  private let state: StateGuard

  /// Refuses files in a state folder, of any user, or on a file system without user data. Also refuses files outside
  /// `root`, whatever links are in the path.
  package init(_ path: AbsolutePath, _ files: FileProtection, stayingIn root: AbsolutePath? = nil) throws(MAMError) {
    self.path = path
    self.files = files
    state = StateGuard(root: files.state, looksAround: true)
    location = try FileLocation(path)
    try state.check(location.folder)
    if let root { try StateGuard.check(location.folder, staysIn: root) }
  }

  /// Refuses a file in the state folder `state`. A path that leads nowhere is not an error here; opening it reports
  /// that.
  package static func check(_ path: AbsolutePath, isOutside state: String) throws(MAMError) {
    guard let location = try? FileLocation(path) else { return }
    try StateGuard(root: state, looksAround: false).check(location.folder)
  }

  /// Protects one file. `canRead` throws if a file that is encrypted for an owner may not be read. Refuses a file of the
  /// system.
  @discardableResult
  package func protect(_ goal: FileGoal, canRead: FileProtection.CanRead) throws(MAMError) -> ProtectedFile {
    try SystemFolders().check(location)
    let progress = FileProgress(total: try location.status()?.size ?? 0)
    let file = try files.protect(location, goal, canRead: canRead, progress)
    progress.end()
    return file
  }

  /// Protects a file, or every file of a folder. `told` receives what became of each file. Refuses the root folder and
  /// the folders of the system.
  package func protectAll(
    _ goal: FileGoal, canRead: @escaping FileProtection.CanRead, told: @escaping (ProtectedFile) -> Void = { _ in }
  ) throws(MAMError) {
    guard try location.isFolder else { return told(try protect(goal, canRead: canRead)) }
    let folder = try location.open(O_RDONLY | O_DIRECTORY)
    try FolderProtection(files: files, state: state, goal: goal, canRead: canRead, told: told).run(folder)
  }

  /// Decrypts the file in place, or to a new file that is plain and has the same owner. An owned file that is plain
  /// stays unchanged. Throws 1104 for a file that is neither encrypted nor owned.
  package func decrypt(to copy: AbsolutePath?, canRead: FileProtection.CanRead) throws(MAMError) {
    if let obstacle = try location.status()?.obstacle { throw .unsuitable(path.text, obstacle, to: "decrypt") }
    let file = try location.openForReading()
    guard let owned = try files.ownership.find(file) else {
      try files.ownership.checkNotCutOff(file)
      throw .notProtected(path.text)
    }
    if owned.isEncrypted { try canRead(owned.owner) }
    let progress = FileProgress(total: try file.size())
    if let copy {
      let target = try FileLocation(copy)
      try state.check(target.folder)
      try files.decrypt(location, to: target, owned.owner, progress)
    } else if owned.isEncrypted {
      try files.replace(location, FileGoal(owner: owned.owner, isEncrypted: false), progress)
    }
    progress.end()
  }

  /// Checks every page of the file, or of each file below the folder, in name order. `failed` receives errors about
  /// files that cannot be read at all. Throws if the path itself cannot be used, and if the work is stopped.
  package func check(
    _ environment: FileEnvironment, found: @escaping (FileCheck) -> Void, failed: @escaping (MAMError) -> Void
  ) throws(MAMError) {
    guard try location.isFolder else {
      let progress = FileProgress(total: try location.status()?.size ?? 0)
      return found(try FileCheck(FileSurvey(path, environment), progress))
    }
    let folder = try location.open(O_RDONLY | O_DIRECTORY)
    let progress = FileProgress(total: try FileWalk.size(of: folder, state))
    let walk = FileWalk(state: state) { location, _ throws(MAMError) in
      do throws(MAMError) {
        found(try FileCheck(FileSurvey(location.openForReading(), environment), progress))
      } catch {
        if error.code == .cancelled { throw error }
        failed(error)
      }
    } report: {
      failed(MAMError($0.code, $0.message, path: $0.path))
    }
    try walk.run(folder)
  }

  /// Throws if an existing file's content cannot be replaced.
  package func checkReplaceable() throws(MAMError) {
    guard let status = try location.status() else { return }
    _ = try DiskFile(path: path.text, flags: O_WRONLY)
    if let obstacle = status.obstacle { throw .unsuitable(path.text, obstacle, to: "write") }
  }

  /// Throws if the path exists.
  package func checkIsNew() throws(MAMError) {
    guard let status = try location.status() else { return }
    throw .taken(path.text, "file", by: status.kind, hint: "Use another path")
  }

  /// Starts a new content for the file.
  package func draft(for owner: NewOwner, _ environment: FileEnvironment) throws(MAMError) -> FileDraft {
    try FileDraft(location, for: owner, environment)
  }
}

/// Questions about a file, which change nothing.
extension FileProtection {
  /// False for anything that is not a regular file.
  package func isEncrypted(_ path: AbsolutePath) throws(MAMError) -> Bool {
    try regularFile(path).map { file throws(MAMError) in try FileHeader.read(file) != nil } ?? false
  }

  /// `nil` for a file without an owner, and for anything that is not a regular file.
  package func ownedFile(_ path: AbsolutePath) throws(MAMError) -> OwnedFile? {
    try regularFile(path).map { file throws(MAMError) in try ownership.find(file) } ?? nil
  }

  /// Like `ownedFile`, but throws if the path does not exist or is not a regular file.
  package func existingOwnedFile(_ path: AbsolutePath) throws(MAMError) -> OwnedFile? {
    try ownership.find(DiskFile(path: path.text, flags: O_RDONLY))
  }

  /// The owner of a protected file, or of the protected buffer that a file contains.
  package func owner(
    ofContentAt path: AbsolutePath, _ buffers: DataProtection
  ) throws(MAMError) -> DataOwner? {
    guard let file = try regularFile(path) else { return nil }
    if let owned = try ownership.find(file) { return owned.owner }
    let start = try file.start(count: BufferHeader.maximumLength)
    return start.isEmpty ? nil : try buffers.owner(of: start)
  }

  /// `nil` if the path does not exist or is not a regular file.
  private func regularFile(_ path: AbsolutePath) throws(MAMError) -> DiskFile? {
    do throws(MAMError) {
      let location = try FileLocation(path)
      return try location.status()?.kind == .file ? location.openForReading() : nil
    } catch {
      guard [ENOENT, ENOTDIR].contains(error.fault?.number) else { throw error }
      return nil
    }
  }
}

extension MAMError {
  fileprivate static func notProtected(_ path: String) -> MAMError {
    MAMError(
      .dataNotProtected, "the file is not encrypted and has no owner", hint: "There is nothing to decrypt", path: path)
  }
}
