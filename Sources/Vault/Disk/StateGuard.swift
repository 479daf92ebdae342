import CGlibc
import Glibc
import Model
import Support

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

/// By what a folder is known as the state of some mambridge, whoever's it is: to encrypt it would lock its owner out of
/// all that it protects.
package enum StateMarker {
  static let name = ".mambridge-state"
  private static let text = """
    This folder is the state of mambridge: accounts, policies and keys. Keep documents elsewhere.

    """

  /// Marks a state folder that is not marked yet. Best effort: without it a folder is known by its key.
  package static func write(in root: String) {
    let path = root + "/" + name
    guard access(path, F_OK) != 0 else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = Glibc.write(descriptor, text, text.utf8.count)
  }

  /// Whether the folder has the marker, or a store key with our magic, as folders of 0.1.0 do.
  static func isIn(_ folder: DiskFile, _ path: String = ".") -> Bool {
    if faccessat(folder.descriptor, path + "/" + name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return true }
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let key = openat(folder.descriptor, path + "/keys/store.key", flags)
    // Who may not look may not change it either.
    guard key >= 0 else { return false }
    defer { close(key) }
    var start = [UInt8](repeating: 0, count: KeyPage.magic.count)
    return pread(key, &start, start.count, 0) == start.count && start == KeyPage.magic
  }
}

/// Which file systems hold no data of users, but what the kernel shows as files.
enum FileSystemKind {
  /// By the numbers of <linux/magic.h>.
  private static let kernelOnly: [UInt64: String] = [
    0x9FA0: "proc", 0x6265_6572: "sysfs", 0x0027_E0EB: "cgroup", 0x6367_7270: "cgroup2", 0x1CD1: "devpts",
    0x6462_6720: "debugfs", 0x7472_6163: "tracefs", 0x7363_6673: "securityfs", 0xCAFE_4A11: "bpf",
  ]
  /// Has the number of tmpfs, which holds data.
  private static let deviceNodes = "devtmpfs"

  /// The name of such a file system that an open folder is on; nil for all others.
  static func ofKernelOnly(_ folder: DiskFile) -> String? {
    var system = statfs()
    guard fstatfs(folder.descriptor, &system) == 0 else { return nil }
    if let name = kernelOnly[UInt64(truncatingIfNeeded: system.f_type) & 0xFFFF_FFFF] { return name }
    guard let device = try? folder.status().st_dev, isDeviceNodes(device) else { return nil }
    return deviceNodes
  }

  /// A line of mountinfo is "36 35 0:5 / /dev rw shared:2 - devtmpfs udev rw": the device number third, and the kind
  /// behind the dash.
  private static func isDeviceNodes(_ device: dev_t) -> Bool {
    guard let bytes = try? FileContents.read("/proc/self/mountinfo") else { return false }
    let number = "\(cglibc_major(device)):\(cglibc_minor(device))"
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[2] == number, let dash = fields.firstIndex(of: "-") else { return false }
      return dash + 1 < fields.count && fields[dash + 1] == deviceNodes
    }
  }
}
