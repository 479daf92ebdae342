import Cryptography
import Glibc
import Support

/// The secret that opens a TCP connection: 64 hex digits in a file that only its owner can read.
///
/// All processes on one state folder share it. Every attempt looks at the file and reads it again if it has changed, so
/// replacing it needs no restart.
package struct TokenFile: Sendable {
  package let path: String
  /// For how many seconds a file must be unchanged before what was read of it is kept. Changes within one tick of the
  /// kernel have the same time.
  var settlingSeconds = 2
  private let known = Lock<Known?>(nil)

  /// What was read last: the state of the file then, and the digest of the token.
  private struct Known {
    let version: FileVersion
    let digest: [UInt8]
  }

  /// Uses the existing file, or creates it. The folder must exist.
  package init(path: String) throws(Failure) {
    self.path = path
    if access(path, F_OK) != 0 { try Self.create(path) }
    _ = try read()
  }

  /// Opens the file of a running server; never creates it.
  package init(reading path: String) throws(Failure) {
    self.path = path
    _ = try read()
  }

  package func token() throws(Failure) -> String {
    String(decoding: try read(), as: UTF8.self)
  }

  /// Compares digests, so that the duration reveals nothing about the token. False if the file cannot be used.
  package func isToken(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let expected = digest(), let found = try? SHA256.digest(UnsafeRawBufferPointer(text)) else { return false }
    return constantTimeEquals(expected, found)
  }

  private func digest() -> [UInt8]? {
    // Before the read: a file that changes meanwhile differs from this version, and is read again.
    let version = FileVersion(path)
    if let version, let known = known.withLock({ $0 }), known.version == version { return known.digest }
    guard var token = try? read() else { return nil }
    defer { token.clear() }
    guard let digest = try? SHA256.digest(token) else { return nil }
    known.withLock { $0 = version.flatMap { $0.age >= settlingSeconds ? Known(version: $0, digest: digest) : nil } }
    return digest
  }
}

// MARK: - Failures

extension TokenFile {
  package enum Failure: Error, Equatable, CustomStringConvertible {
    case cannotCreate(path: String, errno: Int32)
    case cannotRead(path: String, errno: Int32)
    /// Other users can read it, or own it.
    case openToOthers(path: String)
    case malformed(path: String)

    package var description: String {
      switch self {
      case .cannotCreate(let path, let number): "cannot create the token file \(path): \(Self.text(number))"
      case .cannotRead(let path, let number): "cannot read the token file \(path): \(Self.text(number))"
      case .openToOthers(let path):
        "the token file \(path) must be readable by you only. Run chmod 600 '\(path)', or remove it and start again."
      case .malformed(let path):
        "the token file \(path) does not contain 64 hex digits. Remove it and start the server again."
      }
    }

    private static func text(_ number: Int32) -> String { SystemError(number: number).text }
  }
}

// MARK: - The file

extension TokenFile {
  private static let digits = 64

  /// O_NONBLOCK, so that a pipe in its place cannot block the server.
  private func read() throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotRead(path: path, errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .malformed(path: path) }
    guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else { throw .openToOthers(path: path) }
    var bytes = [UInt8](repeating: 0, count: Self.digits + 2)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .cannotRead(path: path, errno: errno) }
    guard Self.isToken(bytes[..<count]) else {
      bytes.clear()
      throw .malformed(path: path)
    }
    bytes.removeLast(bytes.count - Self.digits)
    return bytes
  }

  /// Whether the text is 64 hex digits, with or without a line feed at the end.
  private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
    let token = text.last == UInt8(ascii: "\n") ? text.dropLast() : text
    return token.count == digits && token.allSatisfy(\.isHexDigit)
  }

  /// Written under another name and linked into place. A process that loses the race reads the winner's token, and no
  /// process reads half a token.
  private static func create(_ path: String) throws(Failure) {
    guard let line = line(ofBytes: digits / 2), let suffix = try? Random.bytes(8) else {
      throw .cannotCreate(path: path, errno: EIO)
    }
    let temporary = "\(path).\(Hex.encode(suffix))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, errno: errno) }
    defer {
      close(descriptor)
      unlink(temporary)
    }
    guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0,
      link(temporary, path) == 0 || errno == EEXIST
    else { throw .cannotCreate(path: path, errno: errno) }
  }

  private static func line(ofBytes count: Int) -> [UInt8]? {
    var secret = [UInt8](repeating: 0, count: count)
    guard (try? secret.withUnsafeMutableBytes { try Random.fillSecret($0) }) != nil else { return nil }
    return Array((Hex.encode(secret) + "\n").utf8)
  }
}

/// Changes when a file is written, replaced, or gets other permissions.
private struct FileVersion: Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let seconds, nanoseconds: Int

  /// `nil` if the status cannot be read. A link is not followed.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = status.st_dev
    inode = status.st_ino
    (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }

  /// In seconds.
  var age: Int { time(nil) - seconds }
}
