import Cryptography
import Glibc
import Model
import Support

/// An open file, closed when this is released. Reads and writes completely at an offset, even if interrupted.
package final class DiskFile: Sendable {
  package let descriptor: Int32
  /// For error messages.
  let path: String

  /// Takes ownership of the descriptor.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Takes ownership of the result of `open`. A negative descriptor means that it failed and `errno` says why.
  convenience init(opened descriptor: Int32, path: String) throws(MAMError) {
    guard descriptor >= 0 else { throw .file(path, errno) }
    self.init(descriptor: descriptor, path: path)
  }

  /// Like open(2). Throws ELOOP if the last part of the path is a link, EISDIR for a folder, and ENXIO for anything
  /// else that is not a regular file.
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

  /// Returns how many bytes were read.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(MAMError) -> Int {
    do throws(SystemError) {
      return try WholeBytes.read(descriptor, into: target, at: offset)
    } catch { throw .file(path, error.number) }
  }

  /// Writes in one system call where possible, so that a kill tears the data only at page boundaries.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(MAMError) {
    do throws(SystemError) {
      try WholeBytes.write(bytes, to: descriptor, at: offset)
    } catch { throw .file(path, error.number) }
  }

  func truncate(to size: Int) throws(MAMError) {
    guard uninterrupted({ Int(ftruncate(descriptor, off_t(size))) }) == 0 else { throw .file(path) }
  }

  /// With `dataOnly`, does not sync the times.
  func sync(dataOnly: Bool) throws(MAMError) {
    guard (dataOnly ? fdatasync(descriptor) : fsync(descriptor)) == 0 else { throw .file(path) }
  }

  func status() throws(MAMError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .file(path) }
    return status
  }

  func size() throws(MAMError) -> Int { Int(try status().st_size) }

  /// The first `count` bytes, or fewer if the file is shorter.
  func start(count: Int) throws(MAMError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = try bytes.withRawMutableBytes { bytes throws(MAMError) in try read(into: bytes, at: 0) }
    return Array(bytes[..<found])
  }

  /// The names in this folder in byte order, without `.` and `..`. A name that is not UTF-8 contains U+FFFD and cannot
  /// be opened.
  func entries() throws(MAMError) -> [String] {
    // Use a descriptor of its own, because the stream moves the offset and closes the descriptor.
    let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let number = errno
      close(copy)
      throw .file(path, number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Overwrites the content, or its beginning, with zeros in place. Best effort: a file system may write them
  /// elsewhere.
  func overwrite(upTo limit: Int = .max) throws(MAMError) {
    let size = min(try size(), limit)
    try PageBuffers.shared.withRun { zeros throws(MAMError) in
      zeros.initializeMemory(as: UInt8.self, repeating: 0)
      var done = 0
      while done < size {
        let piece = zeros[..<min(size - done, zeros.count)]
        try write(UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: piece)), at: done)
        done += piece.count
      }
    }
    try sync(dataOnly: true)
  }

  /// Turns a failure of the crypto library, usually a lack of memory, into an error about this file.
  func encrypting<Result>(_ body: () throws(CryptographyError) -> Result) throws(MAMError) -> Result {
    do throws(CryptographyError) { return try body() } catch { throw .cannotEncrypt(path, error) }
  }
}
