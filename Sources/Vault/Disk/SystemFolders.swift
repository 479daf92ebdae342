import Glibc
import Model

/// The folders that the system lives in. Encrypting one of them as root would leave a machine that does not start.
struct SystemFolders {
  /// Refused with everything below them: programs, libraries and settings of the system.
  private static let trees = ["/bin", "/boot", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/sbin", "/usr"]
  /// Refused themselves; folders below them may hold documents.
  private static let tops = [
    "/", "/dev", "/home", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv", "/sys", "/tmp", "/var",
  ]

  private let trees = Set(Self.trees.compactMap(Self.inode))
  private let tops = Set(Self.tops.compactMap(Self.inode))

  /// Refuses an open folder, whatever path led to it. Compares folders and not names, because a link or a mount may
  /// give the root folder any name.
  func check(_ folder: DiskFile) throws(MAMError) {
    try checkItself(folder)
    if try isBelowTree(folder) { throw .systemFolder(folder.path) }
  }

  /// The same for a folder below one that has been checked.
  func checkItself(_ folder: DiskFile) throws(MAMError) {
    let inode = try InodeID(folder.status())
    if tops.contains(inode) || trees.contains(inode) { throw .systemFolder(folder.path) }
  }

  private func isBelowTree(_ folder: DiskFile) throws(MAMError) -> Bool {
    var isBelow = false
    try StateGuard.none.climb(from: folder) { _, inode throws(MAMError) in
      isBelow = trees.contains(inode)
      return !isBelow
    }
    return isBelow
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
      .unsuitableFile, "the folder was not changed: it belongs to the system, which could not start without its files",
      hint: "Name a folder of documents", path: path)
  }
}
