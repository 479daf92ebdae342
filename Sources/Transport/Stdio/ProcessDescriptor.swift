import CGlibc
import Glibc

/// A descriptor that polls as readable once a process is dead.
final class ProcessDescriptor {
  let process: Int32
  /// -1 when the kernel has none to give.
  let descriptor: Int32

  /// One that is dead already gets a descriptor that is always readable.
  init(_ process: Int32) {
    self.process = process
    let opened = cglibc_pidfd_open(process)
    descriptor = opened < 0 && errno == ESRCH ? open("/dev/null", O_RDONLY | O_CLOEXEC) : opened
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
