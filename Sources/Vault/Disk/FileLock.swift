import CGlibc
import Glibc
import Model
import Support

/// Makes changes of one file happen one after the other: among the threads of this process by a lock of its own, for
/// `flock` does not exclude those that share a descriptor; among processes by `flock`.
///
/// Nobody waits for it longer than an `OutsideWait` lasts: another user who may read the file can hold its `flock` for
/// as long as they like, and a process that holds it may be stopped.
final class FileLock: Sendable {
  enum Use {
    case changing
    /// To see no half of a change.
    case reading

    fileprivate var operation: Int32 { self == .changing ? LOCK_EX : LOCK_SH }
  }

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

  /// `file` is open on the inode of this lock. Not to be nested. Throws `fileInUse` when others hold it for too long.
  func withLock<Result: Sendable>(
    _ file: DiskFile, for use: Use = .changing, atMost limit: Duration? = nil,
    _ body: () throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    let result = try threads.withLockInTime(atMost: limit) { _ throws(MAMError) -> Result in
      guard try Flock.isTaken(file.descriptor, use.operation, file.path, atMost: limit) else {
        throw MAMError.inUse(file.path, by: LockHolder.name(of: file.descriptor))
      }
      defer { flock(file.descriptor, LOCK_UN) }
      return try body()
    }
    guard let result else { throw .inUse(file.path, by: "another call of this server") }
    return result
  }
}

private struct WeakFileLock: Sendable {
  weak let lock: FileLock?
}
