import Glibc
import Model

/// Keeps away from what no host is to change: state folders, ours and others', and what only looks like files.
struct StateGuard {
  private static let maximumDepth = 4096
  private let state: InodeID?
  private let looksAround: Bool

  /// Keeps away from nothing.
  static let none = StateGuard(state: nil, looksAround: false)

  private init(state: InodeID?, looksAround: Bool) {
    self.state = state
    self.looksAround = looksAround
  }

  /// `root` is the state folder of this process. `looksAround`: also keeps away from those of others, whoever's they are,
  /// and from file systems without data of users.
  init(root: String, looksAround: Bool) {
    var status = stat()
    self.init(state: stat(root, &status) == 0 ? InodeID(status) : nil, looksAround: looksAround)
  }

  /// Refuses a folder that is a state folder, or where there are no data of users.
  func checkItself(_ folder: DiskFile) throws(MAMError) {
    if try InodeID(folder.status()) == state { throw .stateFolder(folder.path) }
    guard looksAround else { return }
    if StateMarker.isIn(folder) { throw .stateFolder(folder.path) }
    if let kind = FileSystemKind.ofKernelOnly(folder) { throw .noData(folder.path, kind) }
  }

  /// Refuses a folder that is a state folder or lies below one, whatever path led there.
  func check(_ folder: DiskFile) throws(MAMError) {
    try checkItself(folder)
    try climb(from: folder) { path, inode throws(MAMError) in
      let isState = inode == state || looksAround && StateMarker.isIn(folder, path)
      if isState { throw .stateFolder(folder.path) }
      return true
    }
  }

  /// Refuses a folder that is not `root` and does not lie below it, whatever path led there.
  static func check(_ folder: DiskFile, staysIn root: AbsolutePath) throws(MAMError) {
    let top = try DiskFile(opened: open(root.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path: root.text)
    let limit = try InodeID(top.status())
    var isInside = false
    try none.climb(from: folder) { _, inode throws(MAMError) in
      isInside = inode == limit
      return !isInside
    }
    guard isInside else { throw .outside(folder.path, root.text) }
  }

  /// The folder and all above it, as long as `body` wants more. The root is its own parent.
  private func climb(
    from folder: DiskFile, _ body: (_ path: String, InodeID) throws(MAMError) -> Bool
  ) throws(MAMError) {
    var (path, last) = (".", nil as InodeID?)
    for _ in 0..<Self.maximumDepth {
      var status = stat()
      guard fstatat(folder.descriptor, path, &status, 0) == 0 else { throw .file(folder.path) }
      let inode = InodeID(status)
      guard inode != last, try body(path, inode) else { return }
      (path, last) = (path + "/..", inode)
    }
  }
}

extension MAMError {
  static func stateFolder(_ path: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the file is left alone: it belongs to the state of mambridge",
      hint: "Keep documents outside of the state folder", path: path)
  }

  fileprivate static func noData(_ path: String, _ kind: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the folder is left alone: a file system of kind \(kind) holds no data of users",
      hint: "Give a folder with documents", path: path)
  }

  fileprivate static func outside(_ path: String, _ root: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the file is left alone: its path leads out of \(root)",
      hint: "A symbolic link on the way may lead elsewhere: give the path without it, or leave out --stay-in",
      path: path)
  }
}
