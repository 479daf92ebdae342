import Glibc

/// Files that are read whole, because nobody writes long ones.
package enum FileContents {
  /// 16 MiB, of which settings, property lists and policies are far.
  package static let sizeLimit = 16 << 20

  /// All of it. A longer one than `sizeLimit` is EFBIG, a folder EISDIR.
  package static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    defer { close(descriptor) }
    return try read(descriptor)
  }

  /// The rest of an open file; EFBIG when it is longer than `limit`.
  package static func read(_ descriptor: Int32, limit: Int = sizeLimit) throws(SystemError) -> [UInt8] {
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      if count == 0 { return contents }
      guard count > 0 else { throw .current }
      contents += chunk[..<count]
      guard contents.count <= limit else { throw SystemError(number: EFBIG) }
    }
  }
}
