import Glibc
import Support

/// An open file of the log. Each line is appended with a single write, so that several processes may share the file.
final class LogFile: Sendable {
  let path: String
  let status: FileStatus
  let descriptor: Int32

  /// Opens the file for appending, and creates it if it is missing. `nil` on failure, with `errno` set.
  init?(appendingTo path: String) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0, let status = FileStatus(descriptor) else { return nil }
    self.status = status
  }

  /// `nil` if the file cannot be read, with `errno` set.
  init?(reading path: String) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0, let status = FileStatus(descriptor) else { return nil }
    self.status = status
  }

  deinit {
    let code = errno
    if descriptor >= 0 { close(descriptor) }
    errno = code
  }

  /// Returns 0 or the error number. Ends a partly written line, so that the next one starts on a line of its own.
  func append(_ line: [UInt8]) -> Int32 {
    let written = uninterrupted { write(descriptor, line, line.count) }
    if written == line.count { return 0 }
    guard written >= 0 else { return errno }
    if written > 0 { _ = write(descriptor, "\n", 1) }
    return ENOSPC
  }

  /// Reads until the buffer is full or the file ends; `nil` on an error.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
    buffer.isEmpty ? nil : try? WholeBytes.read(descriptor, into: buffer, at: offset)
  }
}
