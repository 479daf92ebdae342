import Cryptography
import Glibc
import Model

/// A file of secrets: 0600, the user's own, one name, never a link.
package struct KeyFile: Sendable {
  let path: String

  package init(path: String) {
    self.path = path
  }

  var folder: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) }

  /// What `body` makes of the open file and its size. Nil without a file, also when it is destroyed meanwhile.
  func read<Result>(
    _ body: (_ descriptor: Int32, _ size: Int) throws(MAMError) -> Result
  ) throws(MAMError) -> Result? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw .notAlone(path, "is a link")
      case EACCES: throw .wrongMode(path, "may not be read by this user")
      default: throw .cannotUse(path, errno)
      }
    }
    defer { close(descriptor) }
    // Another may have the name by now.
    guard let size = try sizeOfOwn(descriptor) else { return try read(body) }
    return try body(descriptor, size)
  }

  /// The whole content, which must be of this length.
  func bytes(count: Int) throws(MAMError) -> [UInt8]? {
    try read { descriptor, size throws(MAMError) in
      guard size == count else { throw .damagedKey(path) }
      var bytes = [UInt8](repeating: 0, count: count)
      guard bytes.withUnsafeMutableBytes({ readWhole(descriptor, into: $0) }) else { throw .cannotUse(path, EIO) }
      return bytes
    }
  }

  /// As `bytes`, straight into memory for secrets.
  func secret(count: Int) throws(MAMError) -> SecretBytes? {
    try read { descriptor, size throws(MAMError) in
      guard size == count else { throw .damagedKey(path) }
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

  /// Makes the file, or takes the place of the one that is there: whole or not at all, durable when this returns. The
  /// caller holds the folder's lock.
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

  /// Takes the place of `other`, whose content is overwritten where it lies.
  func move(to other: KeyFile) throws(MAMError) {
    let former = open(other.path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    defer { if former >= 0 { close(former) } }
    guard rename(path, other.path) == 0 else { throw .cannotUse(other.path, errno) }
    try Folder.sync(folder)
    // What cannot be overwritten is gone all the same: a free block is nobody's file.
    if former >= 0 { try? other.overwrite(former) }
  }

  /// What a killed `create` may leave behind.
  static let newSuffix = ".new"

  /// Overwrites the content where it lies, then removes the file. Fine without a file.
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

  /// The size, after the checks; nil when the file has no name any more.
  private func sizeOfOwn(_ descriptor: Int32) throws(MAMError) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .cannotUse(path, errno) }
    guard status.st_nlink > 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .damagedKey(path) }
    guard status.st_uid == geteuid() else { throw .notAlone(path, "belongs to another user") }
    guard status.st_nlink == 1 else { throw .notAlone(path, "has a second name") }
    guard status.st_mode & 0o077 == 0 else { throw .wrongMode(path, "may be used by others") }
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

private func readWhole(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Bool {
  var done = 0
  while done < target.count {
    let count = pread(descriptor, target.baseAddress.map { $0 + done }, target.count - done, off_t(done))
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    done += count
  }
  return true
}

/// One call for the whole, so that a kill tears it at page boundaries only.
private func writeWhole(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
  var done = 0
  while done < bytes.count {
    let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(done))
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    done += count
  }
  return true
}

extension MAMError {
  /// A failure of the library while keys are made or read, memory mostly.
  package static func keys<Result>(_ body: () throws(CryptographyError) -> Result) throws(MAMError) -> Result {
    do throws(CryptographyError) { return try body() } catch { throw .cannotMakeKey(error) }
  }
}
