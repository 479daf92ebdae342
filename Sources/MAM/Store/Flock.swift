import Glibc
import Model
import Support

/// Locks of whole files and folders, which the kernel gives back when their holder dies. A holder that is stopped keeps
/// them, so nobody waits for one in the kernel.
enum Flock {
  /// `operation` is LOCK_EX or LOCK_SH. False when others have held the lock for as long as this may wait; see
  /// `OutsideWait`. With `limit` zero it does not wait.
  static func isTaken(
    _ descriptor: Int32, _ operation: Int32, _ path: String, atMost limit: Duration? = nil
  ) throws(MAMError) -> Bool {
    var wait = OutsideWait(atMost: limit)
    while flock(descriptor, operation | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: guard wait.pause() else { return false }
      default: throw .cannotUse(path, errno)
      }
    }
    return true
  }
}

extension MAMError {
  /// `what` is what the lock guards, such as "the keys".
  static func stateInUse(_ path: String, by holder: String, _ what: String) -> MAMError {
    MAMError(
      .stateInUse, "\(holder) holds the lock on \(what)",
      hint: "Call again. If this goes on, end the process that holds the lock", path: path)
  }
}
