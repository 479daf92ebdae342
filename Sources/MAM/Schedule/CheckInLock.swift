import Glibc

/// Held by the one process of a state folder whose turn it is to check in. The kernel lets go of it when that dies.
enum CheckInLock {
  /// Nil when another holds it and this does not wait.
  static func withLock<Result>(
    _ path: String, isWaiting: Bool, _ body: () throws(MAMError) -> Result
  ) throws(MAMError) -> Result? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    while flock(descriptor, isWaiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return nil
      default: throw .cannotUse(path, errno)
      }
    }
    return try body()
  }
}
