import CGlibc
import Glibc

/// A descriptor that polls as readable once a process has died.
final class ProcessDescriptor {
  let process: Int32
  /// -1 if the kernel cannot provide one.
  let descriptor: Int32

  /// If the process is dead already, the descriptor is always readable.
  init(_ process: Int32) {
    self.process = process
    let opened = cglibc_pidfd_open(process)
    descriptor = opened < 0 && errno == ESRCH ? open("/dev/null", O_RDONLY | O_CLOEXEC) : opened
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}

/// Opens /dev/null in place of standard input, output or error if this process was started without it. Otherwise the
/// next file opened would get the number, and would be read as requests or overwritten with replies.
///
/// Opens for reading only: input is at its end, and output fails instead of vanishing.
func openMissingStandardDescriptors() {
  while true {
    let descriptor = open("/dev/null", O_RDONLY)
    guard descriptor >= 0, descriptor <= STDERR_FILENO else {
      if descriptor >= 0 { close(descriptor) }
      return
    }
  }
}
