import CGlibc
import Glibc
import Model
import Support
import Vault

/// Checks whether other users could change a state folder, or put another folder in its place. The rules are those of
/// StrictModes in sshd:
///
/// - The state folder and its contents belong to the effective user, and nobody else can write to them.
/// - The folders that lead to it, up to the root or a mount point, belong to root, the effective user or the overflow
///   user, which stands for owners that a user namespace does not map. Others can write to them only if they are
///   sticky.
///
/// Creates and changes nothing. Trusts what is missing, and leaves anything that is not a folder to the code that opens
/// it.
struct StateTrust {
  let state: StateFolder
  private let user = geteuid()
  private static let overflowUser = readOverflowUser()

  init(_ state: StateFolder) {
    self.state = state
  }

  /// Throws 6007 with the path and the command that fixes it.
  func check() throws(MAMError) {
    if !state.trustsParents { try checkWay() }
    guard isFolder(state.root) else { return }
    try checkOwn(state.root, isRoot: true)
    for folder in [state.root, state.keys, state.apps, state.app, state.logs] { try checkEntries(of: folder) }
    for folder in Self.names(in: state.keys).map({ state.keys + "/" + $0 }) where isFolder(folder) {
      for folder in [folder, folder + "/apps"] { try checkEntries(of: folder) }
    }
  }

  /// Checks one folder or file of the state; follows a link only if it is the root. A missing file is accepted.
  func checkOwn(_ path: String, isRoot: Bool = false) throws(MAMError) {
    var status = stat()
    guard (isRoot ? stat(path, &status) : lstat(path, &status)) == 0 else { return }
    try Self.checkOwn(path, status)
  }

  private static func checkOwn(_ path: String, _ status: stat) throws(MAMError) {
    guard status.st_uid == geteuid() else { throw .foreignState(path, owner: status.st_uid, user: geteuid()) }
    guard status.st_mode & S_IFMT != S_IFLNK else { throw .linkedState(path) }
    guard status.st_mode & 0o022 == 0 else { throw .sharedState(path) }
  }

  /// Checks a database, the files that SQLite keeps beside it, and their folder.
  static func checkDatabase(_ path: String) throws(MAMError) {
    let (folder, name) = (path.parentPath, path.lastName)
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotUse(folder, errno) }
    defer { close(descriptor) }
    for name in ["."] + ["", "-wal", "-shm", "-journal"].map({ name + $0 }) {
      var status = stat()
      guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      try checkOwn(name == "." ? folder : folder + "/" + name, status)
    }
  }

  private func checkEntries(of folder: String) throws(MAMError) {
    for name in Self.names(in: folder) { try checkOwn(folder + "/" + name) }
  }

  /// Checks the folders that lead to the state folder and to each link in its path: whoever can change one of them
  /// decides where the state folder is.
  private func checkWay() throws(MAMError) {
    var walk = PathWalk(state.root)
    while let step = walk.next() {
      guard step.status.st_mode & S_IFMT == S_IFLNK else { continue }
      guard isTrusted(step.status.st_uid) else { throw .foreignParent(step.path, owner: step.status.st_uid) }
      try checkFolders(upFrom: step.path.parentPath)
    }
    guard cglibc_is_mount_root(walk.path) == 0 else { return }
    try checkFolders(upFrom: walk.path.parentPath)
  }

  private func checkFolders(upFrom start: String) throws(MAMError) {
    var path = start
    while true {
      var status = stat()
      if lstat(path, &status) == 0 {
        guard isTrusted(status.st_uid) else { throw .foreignParent(path, owner: status.st_uid) }
        let isShared = status.st_mode & 0o022 != 0 && status.st_mode & S_ISVTX == 0
        guard !isShared || status.st_mode & S_IFMT != S_IFDIR else { throw .sharedParent(path) }
        if cglibc_is_mount_root(path) != 0 { return }
      }
      guard path != "/" else { return }
      path = path.parentPath
    }
  }

  private func isTrusted(_ owner: uid_t) -> Bool { owner == 0 || owner == user || owner == Self.overflowUser }

  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Empty if the folder cannot be read. The code that uses the folder reports that.
  private static func names(in folder: String) -> [String] { (try? Folder.names(folder)) ?? [] }

  private static func readOverflowUser() -> uid_t {
    let text = try? FileContents.read("/proc/sys/kernel/overflowuid")
    return text.flatMap { uid_t(String(decoding: $0.filter { $0 > 0x20 }, as: UTF8.self)) } ?? 65534
  }
}

/// Walks an absolute path step by step and follows links.
private struct PathWalk {
  struct Step {
    let path: String
    let status: stat
  }

  /// The path walked so far, without links.
  private(set) var path = "/"
  private var rest: [Substring]
  private var links = 0

  init(_ path: String) {
    rest = path.split(separator: "/").reversed()
  }

  /// A missing file has no status and is no step. After 40 links, the limit of the system, links are not followed.
  mutating func next() -> Step? {
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        path = path.parentPath
        continue
      }
      let child = path == "/" ? "/\(name)" : "\(path)/\(name)"
      var status = stat()
      let isThere = lstat(child, &status) == 0
      guard isThere, status.st_mode & S_IFMT == S_IFLNK, let target = Self.target(child), links < 40 else {
        path = child
        if isThere { return Step(path: child, status: status) }
        continue
      }
      links += 1
      rest += target.split(separator: "/").reversed()
      if target.hasPrefix("/") { path = "/" }
      return Step(path: child, status: status)
    }
    return nil
  }

  private static func target(_ link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }
}

extension MAMError {
  /// The error for a part of the state that belongs to another user.
  fileprivate static func foreignState(_ path: String, owner: uid_t, user: uid_t) -> MAMError {
    MAMError(
      .wrongPermissions, "the state cannot be trusted: \(path) belongs to user \(owner), not to user \(user)",
      hint: "Run as user \(owner), or run: chown -R \(user) \(path.shellQuoted)", path: path)
  }

  fileprivate static func sharedState(_ path: String) -> MAMError {
    MAMError(
      .wrongPermissions, "the state cannot be trusted: other users can write to \(path)",
      hint: "Check for changes by other users, then run: chmod go-w \(path.shellQuoted)", path: path)
  }

  fileprivate static func linkedState(_ path: String) -> MAMError {
    MAMError(
      .wrongPermissions, "the state cannot be trusted: \(path) is a symbolic link",
      hint: "Replace the link with its target, or choose another folder with --state", path: path)
  }

  /// The error for a folder on the path to the state that belongs to another user.
  fileprivate static func foreignParent(_ path: String, owner: uid_t) -> MAMError {
    MAMError(
      .wrongPermissions,
      "the state folder cannot be trusted: \(path), which leads to it, belongs to user \(owner)",
      hint: "Run: chown -h root \(path.shellQuoted), or choose another folder with --state; if you trust this user, "
        + "pass --trust-parents", path: path)
  }

  fileprivate static func sharedParent(_ path: String) -> MAMError {
    MAMError(
      .wrongPermissions, "the state folder cannot be trusted: other users can write to \(path), which leads to it",
      hint: "Run: chmod go-w \(path.shellQuoted), or choose another folder with --state; if you trust these users, "
        + "pass --trust-parents", path: path)
  }
}
