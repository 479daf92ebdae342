import CGlibc
import Glibc
import Model
import Support

/// Replaces the content of a file, completely or not at all: whenever the process ends, the name leads to the old file
/// or the new one. Free blocks of the disk may still hold the old content.
///
/// The steps, in order: `init`, `fill`, `takeOver`, `commit`, `settle`; `abandon` replaces the remaining ones.
struct FileReplacement {
  /// Writes the new content, and anything else that only the new file gets.
  typealias Fill = (_ source: LeasedFile, _ target: DiskFile) throws(MAMError) -> Void

  private let files: TemporaryFiles
  private let source: LeasedFile
  private let temporary: TemporaryFile
  private let attributes: FileAttributes

  /// Refuses anything but a regular file with one name, and a file that is open for writing anywhere (5003).
  init(of location: FileLocation, _ files: TemporaryFiles) throws(MAMError) {
    try self.init(of: LeasedFile(location), files)
  }

  private init(of source: LeasedFile, _ files: TemporaryFiles) throws(MAMError) {
    self.files = files
    self.source = source
    attributes = try FileAttributes(of: source.file, source.status)
    temporary = try files.make(for: source.location)
  }

  /// Runs all steps. Starts over if another process wants to write the file meanwhile, and gives up after the third
  /// time. Commit point: the rename.
  static func run(_ location: FileLocation, _ files: TemporaryFiles, _ fill: Fill) throws(MAMError) {
    for _ in 0..<3 {
      if try isDone(LeasedFile(location), files, fill) { return }
    }
    throw .inUse(location.path)
  }

  /// Runs all steps once. Returns false if another process wants to write the file; then nothing has changed.
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

  /// Copies everything besides the content from the old file, and makes the new file durable.
  func takeOver() throws(MAMError) {
    try attributes.apply(to: temporary.file)
    try temporary.file.sync(dataOnly: false)
  }

  /// Returns false if another process wants to write the old file; then nothing has changed.
  func commit() throws(MAMError) -> Bool {
    guard try source.isCurrent() else { return false }
    try CommitPoint.passCurrent()
    try temporary.replace(source.location)
    return true
  }

  func settle() throws(MAMError) {
    try source.location.folder.sync(dataOnly: false)
    try files.forget(temporary.name)
  }

  /// Leaves the old file unchanged.
  func abandon() { files.abandon(temporary) }
}

/// A regular file with one name, open for reading while no process has it open for writing, or under its `FileLock`. A
/// process that wants to open it for writing waits until this is released; for a lease, no longer than the system's
/// lease-break-time (45 s).
final class LeasedFile: Sendable {
  let location: FileLocation
  let file: DiskFile
  /// From before the file was read.
  let status: NodeStatus
  private let isLeased: Bool

  init(_ location: FileLocation) throws(MAMError) {
    self.location = location
    // Check the kind first, because opening a device may have an effect.
    if let obstacle = try location.status()?.obstacle { throw .unsuitable(location.path, obstacle, to: "replace") }
    file = try location.openForReading()
    status = NodeStatus(try file.status())
    isLeased = true
    if let obstacle = status.obstacle { throw .unsuitable(location.path, obstacle, to: "replace") }
    guard cglibc_take_read_lease(file.descriptor) == 0 else { throw Self.refusal(location.path, errno) }
  }

  /// For the holder of an encrypted file's lock, which every change needs. The holder has the file open for writing, so
  /// the system would not grant a lease.
  init(_ location: FileLocation, locked file: DiskFile) throws(MAMError) {
    (self.location, self.file, isLeased) = (location, file, false)
    status = NodeStatus(try file.status())
    if let obstacle = status.obstacle { throw .unsuitable(location.path, obstacle, to: "replace") }
  }

  /// Whether the name still leads to the content that was read.
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
        .fileUnavailable, "cannot replace the file: its file system does not report whether it is in use",
        hint: "Move the file to a file system that supports leases", path: path, fault: FileFault(number: number))
    }
  }
}
