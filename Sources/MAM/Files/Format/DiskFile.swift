import Glibc
import Model

/// An open file; closed with its owner. Whole reads and writes at a place, whatever interrupts them.
final class DiskFile: Sendable {
  let descriptor: Int32
  /// For errors.
  let path: String

  /// Takes the descriptor over.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// As open(2): a link as the last part of the path is ELOOP, a folder EISDIR, and what is no file at all ENXIO.
  convenience init(path: String, flags: Int32, mode: mode_t = 0) throws(MAMError) {
    let descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw errno == EAGAIN ? .inUse(path) : .file(path) }
    self.init(descriptor: descriptor, path: path)
    switch try status().st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw .file(path, EISDIR)
    default: throw .file(path, ENXIO)
    }
  }

  /// How many bytes were there to read.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(MAMError) -> Int {
    var done = 0
    while done < target.count {
      let count = pread(descriptor, target.baseAddress.map { $0 + done }, target.count - done, off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .file(path) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// In one call where the system lets it, so that a kill tears it at page boundaries only.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(MAMError) {
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .file(path) }
      done += count
    }
  }

  func truncate(to size: Int) throws(MAMError) {
    while ftruncate(descriptor, off_t(size)) != 0 {
      guard errno == EINTR else { throw .file(path) }
    }
  }

  /// `dataOnly`: without the times.
  func sync(dataOnly: Bool) throws(MAMError) {
    guard (dataOnly ? fdatasync(descriptor) : fsync(descriptor)) == 0 else { throw .file(path) }
  }

  func status() throws(MAMError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .file(path) }
    return status
  }

  func size() throws(MAMError) -> Int { Int(try status().st_size) }
}
