import CGlibc
import Glibc
import Model

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
