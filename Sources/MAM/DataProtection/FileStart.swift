import Glibc

/// The first bytes of a file, where headers stand.
enum FileStart {
  /// Longer than any header with what makes it whole.
  static let length = 4096

  /// Nil for what is no file, or may not be read.
  static func bytes(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: length)
    var done = 0
    while done < length {
      let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + done }, length - done) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      done += count
    }
    return Array(bytes[..<done])
  }
}
