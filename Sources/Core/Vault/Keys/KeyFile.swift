import Cryptography
import Glibc
import Model
import Support

/// A file of secrets: mode 0600, owned by this user, with one name, never a link.
package struct KeyFile: Sendable {
  let path: String
  /// Whether it holds the root secret, and not one of the keys in the state folder.
  let isRoot: Bool

  package init(path: String, isRoot: Bool = false) {
    self.path = path
    self.isRoot = isRoot
  }

  var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) }

  /// Calls `body` with the open file and its size. `nil` if there is no file, or it was destroyed meanwhile.
  func read<Result>(
    _ body: (_ descriptor: Int32, _ size: Int) throws(MAMError) -> Result
  ) throws(MAMError) -> Result? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw faultOfLink
      case EACCES: throw .wrongMode(path, "cannot be read by this user")
      case ENXIO: throw .notAKeyFile(self, "it is a socket or a device")
      case ENOTDIR: throw .notAKeyFile(self, "a folder in its path is a file")
      default: throw .cannotUse(path, errno)
      }
    }
    defer { close(descriptor) }
    // Another file may have the name now.
    guard let size = try sizeOfOwn(descriptor) else { return try read(body) }
    return try body(descriptor, size)
  }

  /// The command that mends a link cannot mend one to something other than a file, such as `/dev/fd/63`.
  private var faultOfLink: MAMError {
    var status = stat()
    guard stat(path, &status) == 0 else { return .notAKeyFile(self, "it is a symbolic link that leads nowhere") }
    let kind = NodeStatus(status).kind
    return kind == .file
      ? .notAlone(path, "is a symbolic link") : .notAKeyFile(self, "it is a symbolic link to \(kind.text)")
  }

  /// The whole content, which must have this length.
  func bytes(count: Int) throws(MAMError) -> [UInt8]? {
    try read { descriptor, size throws(MAMError) in
      guard size == count else { throw .damagedKey(path, size: size, instead: count) }
      var bytes = [UInt8](repeating: 0, count: count)
      guard bytes.withUnsafeMutableBytes({ readWhole(descriptor, into: $0) }) else { throw .cannotUse(path, EIO) }
      return bytes
    }
  }

  /// Like `bytes`, but reads directly into secret memory.
  func secret(count: Int) throws(MAMError) -> SecretBytes? {
    try read { descriptor, size throws(MAMError) in
      guard size == count else { throw .damagedKey(path, size: size, instead: count) }
      var isRead = false
      let secret = try MAMError.keys { () throws(CryptographyError) in
        try SecretBytes(capacity: count) { target throws(CryptographyError) in
          isRead = readWhole(descriptor, into: target)
          return count
        }
      }
      guard isRead else { throw .cannotUse(path, EIO) }
      return secret
    }
  }

  /// Creates or replaces the file, completely or not at all, and durably before this returns. The caller must hold the
  /// folder's lock.
  func create(_ content: some ByteSource) throws(MAMError) {
    let new = KeyFile(path: path + Self.newSuffix)
    try new.destroy()
    do throws(MAMError) {
      try new.write(content)
      try new.move(to: self)
    } catch {
      unlink(new.path)
      throw error
    }
  }

  /// Replaces `other`, and overwrites the old content of `other` in place.
  func move(to other: KeyFile) throws(MAMError) {
    let former = open(other.path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { if former >= 0 { close(former) } }
    guard rename(path, other.path) == 0 else { throw .cannotUse(other.path, errno) }
    try Folder.sync(folder)
    // Content that cannot be overwritten is still gone: its blocks are free.
    if former >= 0 { try? other.overwrite(former) }
  }

  /// The suffix of a file that a killed `create` may leave behind.
  static let newSuffix = ".new"

  /// Overwrites the content in place, then removes the file. Does nothing if there is no file.
  package func destroy() throws(MAMError) {
    let descriptor = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor >= 0 {
      defer { close(descriptor) }
      try overwrite(descriptor)
    } else if errno == ENOENT {
      return
    } else if errno != ELOOP && errno != ENXIO {
      throw .cannotUse(path, errno)
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw .cannotUse(path, errno) }
    try Folder.sync(folder)
  }

  /// Checks the file and returns its size; `nil` if the file has no name any more.
  private func sizeOfOwn(_ descriptor: Int32) throws(MAMError) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .cannotUse(path, errno) }
    guard status.st_nlink > 0 else { return nil }
    let kind = NodeStatus(status).kind
    guard kind == .file else { throw .notAKeyFile(self, "it is \(kind.text)") }
    guard status.st_uid == geteuid() else { throw .notAlone(path, "belongs to another user") }
    guard status.st_nlink == 1 else { throw .notAlone(path, "has a second name (a hard link)") }
    guard status.st_mode & 0o077 == 0 else { throw .wrongMode(path, "can be used by other users") }
    return Int(status.st_size)
  }

  private func write(_ content: some ByteSource) throws(MAMError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    let isWritten = content.withRawBytes { writeWhole(descriptor, $0) }
    guard isWritten, fsync(descriptor) == 0 else { throw .cannotUse(path, errno) }
  }

  private func overwrite(_ descriptor: Int32) throws(MAMError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .cannotUse(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1 else { return }
    let zeros = [UInt8](repeating: 0, count: max(0, min(Int(status.st_size), 1 << 20)))
    guard zeros.withRawBytes({ writeWhole(descriptor, $0) }), fdatasync(descriptor) == 0 else {
      throw .cannotUse(path, errno)
    }
  }
}

/// False if the file is shorter, or cannot be read.
private func readWhole(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Bool {
  (try? WholeBytes.read(descriptor, into: target, at: 0)) == target.count
}

/// If false, `errno` is the reason.
private func writeWhole(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
  (try? WholeBytes.write(bytes, to: descriptor, at: 0)) != nil
}

extension MAMError {
  /// Turns a failure of the crypto library, usually a lack of memory, into an error about keys.
  package static func keys<Result>(_ body: () throws(CryptographyError) -> Result) throws(MAMError) -> Result {
    do throws(CryptographyError) { return try body() } catch { throw .cannotMakeKey(error) }
  }
}
