import Glibc

/// Reads short files as a whole.
package enum FileContents {
  /// 16 MiB; settings, property lists and policies are far shorter.
  package static let sizeLimit = 16 << 20

  /// How long a pipe may stay silent, in milliseconds.
  private static let patience: Int32 = 5000

  /// Reads the whole file. Throws EFBIG if it is longer than `limit`, EISDIR for a folder, and ETIMEDOUT for a pipe that
  /// stays silent for 5 s.
  package static func read(_ path: String, upTo limit: Int = sizeLimit) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current(opening: path) }
    defer { close(descriptor) }
    // A pipe without a writer reads as empty.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO { try waitForBytes(descriptor) }
    return try read(descriptor, limit: limit)
  }

  /// Reads the rest of an open file. Throws EFBIG if it is longer than `limit`.
  package static func read(_ descriptor: Int32, limit: Int = sizeLimit) throws(SystemError) -> [UInt8] {
    var contents: [UInt8] = []
    // An array that grows needs up to three times its size while it moves.
    if let size = FileStatus(descriptor)?.size, size <= limit { contents.reserveCapacity(size) }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { chunk.deallocate() }
    while true {
      let count = uninterrupted { Glibc.read(descriptor, chunk.baseAddress, chunk.count) }
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

/// The reason why a system call failed.
package struct SystemError: Error, Equatable, Sendable {
  package let number: Int32
  /// Whether the path exists, but is a symbolic link that leads nowhere.
  private var isDanglingLink = false

  package init(number: Int32) { self.number = number }

  /// The reason of the call that has just failed.
  package static var current: SystemError { SystemError(number: errno) }

  /// The reason why `path` could not be opened just now.
  package static func current(opening path: String) -> SystemError {
    var error = current
    var status = stat()
    error.isDanglingLink = error.number == ENOENT && lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    return error
  }

  package var text: String {
    isDanglingLink ? "it is a symbolic link that leads nowhere" : String(cString: strerror(number))
  }
}
