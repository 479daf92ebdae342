import CGlibc
import Glibc
import Model
import Vault

/// Held by the one process and task that wipes an account, until its owner is gone or the process dies.
final class WipeLock: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Nil when another holds it. `position` is that of the account in the store.
  static func take(_ path: String, position: Int) throws(MAMError) -> WipeLock? {
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    let lock = WipeLock(descriptor: descriptor)
    if cglibc_lock_byte(descriptor, Int64(position)) == 0 { return lock }
    guard errno == EAGAIN || errno == EACCES else { throw .cannotUse(path, errno) }
    return nil
  }
}
