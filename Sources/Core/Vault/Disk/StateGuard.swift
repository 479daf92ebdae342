import CGlibc
import Glibc
import Model
import Support

/// Refuses what no host should change: state folders of any user, and file systems that only look like files.
struct StateGuard {
  private static let maximumDepth = 4096
  private let state: InodeID?
  private let looksAround: Bool

  /// Refuses nothing.
  static let none = StateGuard(state: nil, looksAround: false)

  private init(state: InodeID?, looksAround: Bool) {
    self.state = state
    self.looksAround = looksAround
  }

  /// `root` is the state folder of this process. With `looksAround`, also refuses other state folders, of any user, and
  /// file systems without user data.
  init(root: String, looksAround: Bool) {
    var status = stat()
    self.init(state: stat(root, &status) == 0 ? InodeID(status) : nil, looksAround: looksAround)
  }

  /// Refuses a state folder, or a folder on a file system without user data.
  func checkItself(_ folder: DiskFile) throws(MAMError) {
    if try InodeID(folder.status()) == state { throw .stateFolder(folder.path) }
    guard looksAround else { return }
    if StateMarker.isIn(folder) { throw .stateFolder(folder.path) }
    if let kind = FileSystemKind.ofKernelOnly(folder) { throw .noData(folder.path, kind) }
  }

  /// Refuses a state folder and all folders below one, whatever path led there.
  func check(_ folder: DiskFile) throws(MAMError) {
    try checkItself(folder)
    try climb(from: folder) { path, inode throws(MAMError) in
      let isState = inode == state || looksAround && StateMarker.isIn(folder, path)
      if isState { throw .stateFolder(folder.path) }
      return true
    }
  }

  /// Refuses a folder other than `root` or one below it, whatever path led there.
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

  /// Visits the folder and those above it until `body` returns false. The root folder is its own parent.
  func climb(
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
      .unsuitableFile, "the file was not changed: it is in a state folder of mambridge",
      hint: "Keep documents outside the state folder", path: path)
  }

  fileprivate static func noData(_ path: String, _ kind: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the folder was not changed: a \(kind) file system holds no user data",
      hint: "Use a folder with documents", path: path)
  }

  fileprivate static func outside(_ path: String, _ root: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the file was not changed: its path leads out of \(root)",
      hint: "A symbolic link in the path may lead elsewhere: use the path without it, or leave out --stay-in",
      path: path)
  }
}

/// Marks a folder as the state of mambridge, whoever owns it. Encrypting such a folder would lock its owner out of
/// everything that it protects.
package enum StateMarker {
  static let name = ".mambridge-state"
  private static let text = """
    This is a state folder of mambridge: accounts, policies and keys. Keep documents elsewhere.

    """

  /// Marks a state folder that is not marked yet. Best effort: an unmarked folder is recognized by its key.
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
    // A user who may not read the folder may not change it either.
    guard key >= 0 else { return false }
    defer { close(key) }
    var start = [UInt8](repeating: 0, count: KeyPage.magic.count)
    return pread(key, &start, start.count, 0) == start.count && start == KeyPage.magic
  }
}

/// Recognizes file systems that hold no user data, only what the kernel shows as files.
enum FileSystemKind {
  /// By the numbers in <linux/magic.h>.
  private static let kernelOnly: [UInt64: String] = [
    0x9FA0: "proc", 0x6265_6572: "sysfs", 0x0027_E0EB: "cgroup", 0x6367_7270: "cgroup2", 0x1CD1: "devpts",
    0x6462_6720: "debugfs", 0x7472_6163: "tracefs", 0x7363_6673: "securityfs", 0xCAFE_4A11: "bpf",
  ]
  /// Has the same number as tmpfs, which holds data.
  private static let deviceNodes = "devtmpfs"

  /// The name of the kernel-only file system that an open folder is on; `nil` for any other file system.
  static func ofKernelOnly(_ folder: DiskFile) -> String? {
    guard let system = FileSystem(folder.descriptor) else { return nil }
    if let name = kernelOnly[system.number] { return name }
    guard let device = try? folder.status().st_dev, isDeviceNodes(device) else { return nil }
    return deviceNodes
  }

  /// A line of mountinfo is "36 35 0:5 / /dev rw shared:2 - devtmpfs udev rw": the device number is the third field,
  /// and the type follows the dash.
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
