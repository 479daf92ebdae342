import Glibc

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
