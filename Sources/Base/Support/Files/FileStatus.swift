import Glibc

/// A file's identity, and its size in bytes.
package struct FileStatus: Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int

  /// Nil with `errno` set.
  package init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  package init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
  }

  package func isSameFile(as other: FileStatus?) -> Bool { device == other?.device && inode == other?.inode }
}
