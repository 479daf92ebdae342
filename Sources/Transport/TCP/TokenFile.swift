import Cryptography
import Glibc

/// The secret that opens a TCP connection: 64 hex digits in a file that only its owner can read.
///
/// All processes on one state folder share it. It is read at every attempt, so replacing it needs no restart.
package struct TokenFile: Sendable {
  package let path: String

  package enum Failure: Error, CustomStringConvertible {
    case cannotCreate(path: String, errno: Int32)
    case openToOthers(path: String)
    case malformed(path: String)

    package var description: String {
      switch self {
      case .cannotCreate(let path, let number): "cannot create the token file \(path): \(String(cString: strerror(number)))"
      case .openToOthers(let path): "others may read the token file \(path). Run: chmod 600 '\(path)'"
      case .malformed(let path): "the token file \(path) does not hold 64 hex digits. Remove it and start again."
      }
    }
  }

  /// Uses the file that is there, or makes one. The folder must exist.
  package init(path: String) throws(Failure) {
    self.path = path
    if access(path, F_OK) != 0 { try Self.create(path) }
    _ = try read()
  }

  /// Compares digests, so that the time taken says nothing about the token.
  package func isToken(_ text: String) -> Bool {
    guard let token = try? read() else { return false }
    return constantTimeEquals(SHA256.hash(Array(text.utf8)), SHA256.hash(token))
  }

  private func read() throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    guard status.st_mode & 0o077 == 0 else { throw .openToOthers(path: path) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    let token = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
    guard token.count == 64, token.allSatisfy(\.isHexDigit) else { throw .malformed(path: path) }
    return Array(token)
  }

  /// Written beside and linked into place: whoever loses the race reads the winner's, and nobody reads half a token.
  private static func create(_ path: String) throws(Failure) {
    let temporary = "\(path).\(getpid())"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, errno: errno) }
    defer {
      close(descriptor)
      unlink(temporary)
    }
    let line = Array((Hex.encode(Random.bytes(32)) + "\n").utf8)
    guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0,
      link(temporary, path) == 0 || errno == EEXIST
    else { throw .cannotCreate(path: path, errno: errno) }
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    self &- UInt8(ascii: "0") < 10 || (self | 0x20) &- UInt8(ascii: "a") < 6
  }
}
