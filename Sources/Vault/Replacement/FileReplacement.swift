import CGlibc
import Glibc
import Model
import Support

/// Gives a file another content, all of it or nothing: whenever the process ends, its name leads to the old file or to
/// the new one. Free blocks of the disk may still hold the old content.
///
/// The steps, in their order: `init`, `fill`, `takeOver`, `commit`, `settle`; `abandon` instead of the rest.
struct FileReplacement {
  /// Writes the new content, and whatever else only the new file is to have.
  typealias Fill = (_ source: LeasedFile, _ target: DiskFile) throws(MAMError) -> Void

  private let files: TemporaryFiles
  private let source: LeasedFile
  private let temporary: TemporaryFile
  private let attributes: FileAttributes

  /// Refuses what is no regular file with one name, and what is open for writing anywhere (5003).
  init(of location: FileLocation, _ files: TemporaryFiles) throws(MAMError) {
    try self.init(of: LeasedFile(location), files)
  }

  private init(of source: LeasedFile, _ files: TemporaryFiles) throws(MAMError) {
    self.files = files
    self.source = source
    attributes = try FileAttributes(of: source.file, source.status)
    temporary = try files.make(for: source.location)
  }

  /// Runs all steps. Starts over when somebody wants to write the file meanwhile; gives up after the third time. Commit
  /// point: the rename.
  static func run(_ location: FileLocation, _ files: TemporaryFiles, _ fill: Fill) throws(MAMError) {
    for _ in 0..<3 {
      if try isDone(LeasedFile(location), files, fill) { return }
    }
    throw .inUse(location.path)
  }

  /// Runs all steps, once. False when the file was about to change; nothing has happened then.
  static func isDone(_ source: LeasedFile, _ files: TemporaryFiles, _ fill: Fill) throws(MAMError) -> Bool {
    let replacement = try FileReplacement(of: source, files)
    guard try replacement.isCommitted(fill) else { return false }
    try replacement.settle()
    return true
  }

  private func isCommitted(_ fill: Fill) throws(MAMError) -> Bool {
    do throws(MAMError) {
      try self.fill(fill)
      try takeOver()
      if try commit() { return true }
    } catch {
      abandon()
      throw error
    }
    abandon()
    return false
  }

  func fill(_ fill: Fill) throws(MAMError) {
    try fill(source, temporary.file)
  }

  /// All that the old file had besides its content; durable when this returns.
  func takeOver() throws(MAMError) {
    try attributes.apply(to: temporary.file)
    try temporary.file.sync(dataOnly: false)
  }

  /// False when the old file was about to change; nothing has happened then.
  func commit() throws(MAMError) -> Bool {
    guard try source.isCurrent() else { return false }
    guard CommitPoint.current?.pass() ?? true else { throw .stopped }
    try temporary.replace(source.location)
    return true
  }

  func settle() throws(MAMError) {
    try source.location.folder.sync(dataOnly: false)
    try files.forget(temporary.name)
  }

  /// Leaves the old file alone.
  func abandon() { files.abandon(temporary) }
}

/// A regular file with one name, open for reading while no process has it open for writing, or under its `FileLock`.
/// Whoever wants to open it for writing waits until this is gone: for a lease the system's lease-break-time (45 s) at most.
final class LeasedFile: Sendable {
  let location: FileLocation
  let file: DiskFile
  /// From before it was read.
  let status: NodeStatus
  private let isLeased: Bool

  init(_ location: FileLocation) throws(MAMError) {
    self.location = location
    // Opening a device may have an effect, so its kind is asked first.
    if let obstacle = try location.status()?.obstacle { throw .unsuitable(location.path, obstacle) }
    file = try location.openForReading()
    status = NodeStatus(try file.status())
    isLeased = true
    if let obstacle = status.obstacle { throw .unsuitable(location.path, obstacle) }
    guard cglibc_take_read_lease(file.descriptor) == 0 else { throw Self.refusal(location.path, errno) }
  }

  /// For who holds the lock of an encrypted file, which nobody changes without it. The holder's own handle is open for
  /// writing, so that the system would give no lease.
  init(_ location: FileLocation, locked file: DiskFile) throws(MAMError) {
    (self.location, self.file, isLeased) = (location, file, false)
    status = NodeStatus(try file.status())
    if let obstacle = status.obstacle { throw .unsuitable(location.path, obstacle) }
  }

  /// Whether the content read through it is still that of the name.
  func isCurrent() throws(MAMError) -> Bool {
    guard !isLeased || cglibc_has_read_lease(file.descriptor) != 0, let now = try location.status() else {
      return false
    }
    return now.inode == status.inode && now.links == 1
  }

  private static func refusal(_ path: String, _ number: Int32) -> MAMError {
    switch number {
    case EAGAIN: .inUse(path)
    case EACCES: .file(path, number)
    default:
      MAMError(
        .fileUnavailable, "the file cannot be replaced: its file system does not tell who has it open",
        hint: "Move it to a file system with leases", path: path, fault: FileFault(number: number))
    }
  }
}
