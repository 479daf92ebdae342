import CGlibc
import Glibc
import Support

/// One file on one disk.
struct InodeID: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// Makes changes of one file happen one after the other: among the threads of this process by a lock of its own, for
/// `flock` does not exclude those that share a descriptor; among processes by `flock`.
final class FileLock: Sendable {
  private static let all = Lock<[InodeID: WeakFileLock]>([:])
  private let inode: InodeID
  /// Held while the disk is used, unlike other locks: no reading thread of a connection takes it. Of a value with a size:
  /// one without has the address of the lock itself, and the thread sanitizer takes each look at that for a race.
  private let threads = Lock(false)

  private init(_ inode: InodeID) {
    self.inode = inode
  }

  deinit {
    let inode = inode
    Self.all.withLock { locks in
      if locks[inode]?.lock == nil { locks[inode] = nil }
    }
  }

  /// The one lock of an open file in this process.
  static func of(_ file: DiskFile) throws(MAMError) -> FileLock {
    let inode = InodeID(try file.status())
    return all.withLock { locks in
      if let lock = locks[inode]?.lock { return lock }
      let lock = FileLock(inode)
      locks[inode] = WeakFileLock(lock: lock)
      return lock
    }
  }

  /// Whether its file is still what the path leads to. One that has lost its name, with no other in its place, is used
  /// on.
  func isNamed(_ path: String) -> Bool {
    var named = stat()
    return lstat(path, &named) != 0 || InodeID(named) == inode
  }

  /// `file` is open on the inode of this lock. Not to be nested.
  func withLock<Result: Sendable>(
    _ file: DiskFile, _ body: () throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    try threads.withLock { _ throws(MAMError) in
      while flock(file.descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw MAMError.file(file.path) }
      }
      defer { flock(file.descriptor, LOCK_UN) }
      return try body()
    }
  }
}

private struct WeakFileLock: Sendable {
  weak let lock: FileLock?
}
