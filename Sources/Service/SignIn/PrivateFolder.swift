import Glibc
import Support

/// The folder of a token cache: of this user, and changed by nobody else. Files in it are private to the user, have one
/// name, and are never links.
final class PrivateFolder: Sendable {
  let path: String
  let descriptor: Int32

  /// `nil` if there is no folder and `makes` is false. Otherwise makes it, with the folders above it.
  init?(_ path: String, makes: Bool) throws(SignInFailure) {
    if makes { try Self.make(path) }
    self.path = path
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT, !makes { return nil }
      throw .cannot("open the folder", path)
    }
    try check()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// New folders are for this user alone, whatever the umask is.
  private static func make(_ path: String) throws(SignInFailure) {
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    if errno == ENOENT, !parent.isEmpty {
      try make(parent)
      if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    }
    throw .cannot("make the folder", path)
  }

  private func check() throws(SignInFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .cannot("read the folder", path) }
    guard status.st_uid == geteuid() else {
      throw SignInFailure(
        .cache, "The folder \(path) belongs to another user (id \(status.st_uid)). Choose a folder of your own.")
    }
    guard status.st_mode & 0o022 == 0 else {
      throw SignInFailure(.cache, "Other users can change the folder \(path). Run: chmod 700 '\(path)'")
    }
  }

  func place(_ name: String) -> String { path == "/" ? "/" + name : path + "/" + name }

  /// The whole content; `nil` if there is no file.
  func read(_ name: String, upTo limit: Int) throws(SignInFailure) -> [UInt8]? {
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw .cannot("open", place(name))
    }
    defer { close(file) }
    try check(file, name)
    do throws(SystemError) {
      return try FileContents.read(file, limit: limit)
    } catch {
      guard error.number == EFBIG else { throw .cannot("read", place(name), error.number) }
      throw .damaged(place(name), "it has more than \(limit) bytes")
    }
  }

  /// Opens or makes an empty file to lock.
  func lockFile(_ name: String) throws(SignInFailure) -> Int32 {
    let file = openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .cannot("open", place(name)) }
    do throws(SignInFailure) {
      try check(file, name)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  private func check(_ file: Int32, _ name: String) throws(SignInFailure) {
    let path = place(name)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .cannot("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SignInFailure(.cache, "\(path) is not a regular file.") }
    guard status.st_uid == geteuid() else {
      throw SignInFailure(
        .cache, "\(path) belongs to another user (id \(status.st_uid)). Choose another file with --token-cache.")
    }
    guard status.st_nlink <= 1 else {
      throw SignInFailure(.cache, "\(path) has a second name (a hard link). Remove the other name.")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw SignInFailure(.cache, "Other users can use \(path). Run: chmod 600 '\(path)'")
    }
  }
}

extension PrivateFolder {
  /// Writes a whole file durably. If the name is taken, replaces it in one step or, unless `replaces`, does nothing and
  /// returns false. The caller holds the lock of the folder.
  @discardableResult
  func write(_ bytes: [UInt8], as name: String, replaces: Bool) throws(SignInFailure) -> Bool {
    do throws(SystemError) {
      let new = try newFile(name)
      try new.append(bytes)
      if replaces { try new.replace(name) } else { try new.appear(as: name) }
      return true
    } catch {
      guard error.number != EEXIST || replaces else { return false }
      throw .cannot("write", place(name), error.number)
    }
  }

  /// Takes room on the disk until the result is released, so that a full disk is noticed before something is lost.
  func room(for count: Int, _ name: String) throws(SignInFailure) -> NewFile {
    do throws(SystemError) {
      let file = try newFile(name)
      try file.append([UInt8](repeating: 0xFF, count: count))
      try file.sync()
      return file
    } catch {
      throw .cannot("write", place(name), error.number)
    }
  }

  /// A killed process may have left its draft behind.
  private func newFile(_ name: String) throws(SystemError) -> NewFile {
    let draft = name + ".new"
    unlinkat(descriptor, draft, 0)
    return try NewFile(in: descriptor, draft: draft)
  }

  func remove(_ name: String) throws(SignInFailure) {
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT, fsync(descriptor) == 0 || errno == EINVAL else {
      throw .cannot("remove", place(name))
    }
  }
}

extension SignInFailure {
  /// A system call on the token cache failed, with the current `errno` or the given one.
  static func cannot(_ action: String, _ path: String, _ number: Int32 = errno) -> SignInFailure {
    switch number {
    case ENOSPC, EDQUOT:
      SignInFailure(.cacheBusy, "No space is left to \(action) \(path). Free some space and try again.")
    case ELOOP:
      SignInFailure(.cache, "Cannot \(action) \(path): it is a symbolic link. Name the file itself with --token-cache.")
    default:
      SignInFailure(
        .cache,
        "Cannot \(action) \(path): \(SystemError(number: number).text). Choose another file with --token-cache.")
    }
  }

  /// `path` is of the token cache or its key file.
  static func damaged(_ path: String, _ what: String) -> SignInFailure {
    SignInFailure(
      .cache,
      "\(path) is damaged: \(what). Remove the token cache and its key file, and sign in again with "
        + "mambridge-tenant login.")
  }
}
