import Glibc

/// Keeps away from the state folder, whose files no host is to change.
struct StateGuard {
  private static let maximumDepth = 4096
  private let state: InodeID?

  /// Keeps away from nothing.
  static let none = StateGuard(state: nil)

  private init(state: InodeID?) {
    self.state = state
  }

  init(root: String) {
    var status = stat()
    state = stat(root, &status) == 0 ? InodeID(status) : nil
  }

  func isState(_ folder: DiskFile) throws(MAMError) -> Bool { try InodeID(folder.status()) == state }

  /// Refuses a folder that is the state folder or lies below it, whatever path led there.
  func check(_ folder: DiskFile) throws(MAMError) {
    var (path, last) = (".", nil as InodeID?)
    for _ in 0..<Self.maximumDepth {
      var status = stat()
      guard fstatat(folder.descriptor, path, &status, 0) == 0 else { throw .file(folder.path) }
      let inode = InodeID(status)
      if inode == state { throw .stateFolder(folder.path) }
      // The root is its own parent.
      if inode == last { return }
      (path, last) = (path + "/..", inode)
    }
  }
}
