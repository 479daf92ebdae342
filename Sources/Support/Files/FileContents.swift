import Glibc

/// Files that are read whole, because nobody writes long ones.
package enum FileContents {
  /// 16 MiB, of which settings, property lists and policies are far.
  package static let sizeLimit = 16 << 20

  /// How long a pipe may keep silent.
  private static let patience: Int32 = 5000

  /// All of it. A longer one than `sizeLimit` is EFBIG, a folder EISDIR, and a pipe that keeps silent for 5 s ETIMEDOUT.
  package static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    defer { close(descriptor) }
    // One without a writer reads as empty.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO { try waitForBytes(descriptor) }
    return try read(descriptor)
  }

  /// The rest of an open file; EFBIG when it is longer than `limit`.
  package static func read(_ descriptor: Int32, limit: Int = sizeLimit) throws(SystemError) -> [UInt8] {
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN {
        try waitForBytes(descriptor)
        continue
      }
      if count == 0 { return contents }
      guard count > 0 else { throw .current }
      contents += chunk[..<count]
      guard contents.count <= limit else { throw SystemError(number: EFBIG) }
    }
  }

  private static func waitForBytes(_ descriptor: Int32) throws(SystemError) {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let count = poll(&polled, 1, patience)
    guard count != 0 else { throw SystemError(number: ETIMEDOUT) }
    guard count > 0 || errno == EINTR else { throw .current }
  }
}

/// The system's reason for a refusal.
package struct SystemError: Error, Equatable, Sendable {
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// That of the call which has just failed.
  package static var current: SystemError { SystemError(number: errno) }

  package var text: String { String(cString: strerror(number)) }
}
