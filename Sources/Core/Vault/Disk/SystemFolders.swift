import Glibc
import Model

/// The folders that the system lives in. Encrypting one of them as root would leave a machine that does not start.
struct SystemFolders {
  /// Refused with everything below them: programs, libraries and settings of the system.
  private static let trees = [
    "/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr", "/var/lib/dpkg", "/var/lib/rpm",
  ]
  /// Refused themselves; folders below them may hold documents.
  private static let tops = [
    "/", "/dev", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var",
    "/var/cache", "/var/lib", "/var/log", "/var/spool", "/var/tmp",
  ]

  private let trees: Set<InodeID>
  private let tops: Set<InodeID>

  init(trees: [String] = Self.trees, tops: [String] = Self.tops) {
    self.trees = Set(trees.compactMap(Self.inode))
    self.tops = Set(tops.compactMap(Self.inode))
  }

  /// Refuses an open folder, whatever path led to it. Compares folders and not names, because a link or a mount may
  /// give the root folder any name.
  func check(_ folder: DiskFile) throws(MAMError) {
    try checkItself(folder)
    if try isInTree(folder) { throw .systemFolder(folder.path) }
  }

  /// Throws if the folder is a system folder. The folder above it must have been checked.
  func checkItself(_ folder: DiskFile) throws(MAMError) {
    let inode = try InodeID(folder.status())
    if tops.contains(inode) || trees.contains(inode) { throw .systemFolder(folder.path) }
  }

  /// Refuses a file among the programs, libraries and settings of the system.
  func check(_ file: FileLocation) throws(MAMError) {
    if try isInTree(file.folder) { throw .systemFolder(file.path) }
  }

  /// Whether the folder is one of the trees or below one.
  private func isInTree(_ folder: DiskFile) throws(MAMError) -> Bool {
    var isInTree = false
    try StateGuard.none.climb(from: folder) { _, inode throws(MAMError) in
      isInTree = trees.contains(inode)
      return !isInTree
    }
    return isInTree
  }

  /// `nil` if the system has no such folder.
  private static func inode(_ path: String) -> InodeID? {
    var status = stat()
    return stat(path, &status) == 0 ? InodeID(status) : nil
  }
}

extension MAMError {
  fileprivate static func systemFolder(_ path: String) -> MAMError {
    MAMError(
      .unsuitableFile, "nothing was changed: the path belongs to the system, which may not start without it",
      hint: "Name a folder of documents", path: path)
  }
}
