import CGlibc
import Glibc

/// A descriptor that polls as readable from `signal` until `clear`; wakes a loop from any thread.
final class EventDescriptor: Sendable {
  let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
  }

  deinit {
    close(descriptor)
  }

  func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }
}

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

/// Where this process was started with standard input, output or error closed, puts /dev/null there: else the next
/// file that is opened would take the number, and be read as requests or written with replies.
///
/// For reading only: input is at its end, and output fails instead of vanishing.
func openMissingStandardDescriptors() {
  while true {
    let descriptor = open("/dev/null", O_RDONLY)
    guard descriptor >= 0, descriptor <= STDERR_FILENO else {
      if descriptor >= 0 { close(descriptor) }
      return
    }
  }
}
