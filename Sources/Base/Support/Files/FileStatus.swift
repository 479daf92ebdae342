import CGlibc
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

/// The kind of a file system, by its number in <linux/magic.h>.
package struct FileSystem: Sendable {
  /// The low 32 bits of `f_type`.
  package let number: UInt64

  /// The file system of an open file; `nil` with `errno` set.
  package init?(_ descriptor: Int32) {
    var system = statfs()
    guard fstatfs(descriptor, &system) == 0 else { return nil }
    self.init(system)
  }

  /// Links are followed.
  package init?(of path: String) {
    var system = statfs()
    guard statfs(path, &system) == 0 else { return nil }
    self.init(system)
  }

  private init(_ system: statfs) {
    number = UInt64(truncatingIfNeeded: system.f_type) & 0xFFFF_FFFF
  }

  /// ext, XFS, Btrfs, Bcachefs, ZFS, F2FS, tmpfs, ramfs, overlayfs, SquashFS and EROFS.
  private static let local: Set<UInt64> = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xCA45_1A4E, 0x2FC1_2FC1, 0xF2F5_2010, 0x0102_1994, 0x8584_58F6, 0x794C_7630,
    0x7371_7368, 0xE0F5_E1E2,
  ]

  /// Whether each change of a file is in its times at once, and to a fraction of a second. Files on a network or FUSE
  /// file system can change without a new time. False for a file system that is not known.
  package var notesChangesAtOnce: Bool { Self.local.contains(number) }
}
