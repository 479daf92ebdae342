import CGlibc
import Glibc
import Model
import Support

/// Serializes changes of one file: among the threads of this process with a lock of its own, because `flock` does not
/// exclude threads that share a descriptor, and among processes with `flock`.
///
/// Nobody waits longer than an `OutsideWait`: another user who may read the file can hold its `flock` indefinitely, and
/// a process that holds it may be stopped.
final class FileLock: Sendable {
  private static let all = Lock<[InodeID: WeakFileLock]>([:])
  private let inode: InodeID
  /// Unlike other locks, held during disk access; no reading thread of a connection takes it. Its value must have a
  /// size: a value without one has the address of the lock, and the thread sanitizer reports every access as a race.
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

  /// The lock of an open file; there is one per file in this process.
  static func of(_ file: DiskFile) throws(MAMError) -> FileLock {
    let inode = InodeID(try file.status())
    return all.withLock { locks in
      if let lock = locks[inode]?.lock { return lock }
      let lock = FileLock(inode)
      locks[inode] = WeakFileLock(lock: lock)
      return lock
    }
  }

  /// Whether the path still leads to this lock's file. Also true if nothing has the name any more: such a file stays in
  /// use.
  func isNamed(_ path: String) -> Bool {
    var named = stat()
    return lstat(path, &named) != 0 || InodeID(named) == inode
  }

  /// `file` must be open on the inode of this lock. Those who read wait for a change that is half done. Must not be
  /// nested. Throws `fileInUse` if others hold the lock too long.
  func withLock<Result: Sendable>(
    _ file: DiskFile, for use: Flock.Use = .changing, atMost limit: Duration? = nil,
    _ body: () throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    let result = try threads.withLockInTime(atMost: limit) { _ throws(MAMError) -> Result in
      guard try Flock.isTaken(file.descriptor, file.path, for: use, atMost: limit) else {
        throw MAMError.inUse(file.path, by: LockHolder.name(of: file.descriptor))
      }
      defer { Flock.release(file.descriptor) }
      return try body()
    }
    guard let result else { throw .inUse(file.path, by: "another call of this server") }
    return result
  }
}

private struct WeakFileLock: Sendable {
  weak let lock: FileLock?
}
