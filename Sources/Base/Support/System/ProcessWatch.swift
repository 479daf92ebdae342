import CGlibc
import Glibc

/// Whether the end of another process can be noticed.
package enum ProcessWatch: Equatable, Sendable {
  case possible
  /// No such process is visible: it has ended, or lives in another PID namespace.
  case notVisible
  /// For example, a kernel or a container that refuses `pidfd_open`.
  case refused(SystemError)

  package init(_ process: Int32) {
    guard process > 0 else {
      self = .notVisible
      return
    }
    let descriptor = cglibc_pidfd_open(process)
    guard descriptor < 0 else {
      close(descriptor)
      self = .possible
      return
    }
    self = errno == ESRCH || errno == EINVAL ? .notVisible : .refused(.current)
  }
}
