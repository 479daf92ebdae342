import Glibc
import Model
import Support
import Vault

/// Held by the one process of a state folder whose turn it is to check in. The kernel lets go of it when that dies.
enum CheckInLock {
  /// Nil when another holds it and this does not wait. Throws `stateInUse` when others hold it for too long.
  static func withLock<Result>(
    _ path: String, isWaiting: Bool, _ body: () throws(MAMError) -> Result
  ) throws(MAMError) -> Result? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    guard try Flock.isTaken(descriptor, LOCK_EX, path, atMost: isWaiting ? nil : .zero) else {
      guard isWaiting else { return nil }
      throw .stateInUse(path, by: LockHolder.name(of: descriptor), "check-ins")
    }
    return try body()
  }
}
