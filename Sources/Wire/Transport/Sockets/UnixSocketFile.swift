import CGlibc
import Glibc
import Support

/// A listening socket in the file system: for this user only, in a folder that only this user can enter.
///
/// `path.lock` stays locked for the lifetime of the socket. Whoever holds that lock may remove a socket that nobody
/// serves any longer.
final class UnixSocketFile: Sendable {
  private let path: String
  /// `nil` once the socket is removed.
  private let lock: Lock<Int32?>
  /// Bound already; the code that takes it over must close it.
  let descriptor: Int32

  init(path: String) throws(Failure) {
    try Self.prepareFolder(of: path)
    let lock = try Self.takeLock(path)
    do throws(Failure) {
      try Self.removeStale(path)
      descriptor = try Self.bind(path)
    } catch {
      unlink(Self.lockPath(path))
      close(lock)
      throw error
    }
    self.path = path
    self.lock = Lock(lock)
  }

  deinit {
    remove()
  }

  /// Removes the socket, then its lock file, so that the next server can start.
  func remove() {
    guard let descriptor = lock.withLock({ $0.take() }) else { return }
    unlink(path)
    unlink(Self.lockPath(path))
    close(descriptor)
  }

  static func lockPath(_ path: String) -> String { path + ".lock" }
}

// MARK: - Failures

extension UnixSocketFile {
  enum Failure: Error, Equatable, CustomStringConvertible {
    /// A running server uses it.
    case inUse(path: String)
    case notASocket(path: String)
    /// Other users can enter the folder, or own it.
    case folderOpenToOthers(String)
    case failed(path: String, errno: Int32)

    var description: String {
      switch self {
      case .inUse(let path): "another server listens on \(path)"
      case .notASocket(let path): "\(path) exists and is not a socket. Choose another path."
      case .folderOpenToOthers(let folder):
        "other users can enter the folder \(folder). Make it private to you: chmod 700 '\(folder)'."
      case .failed(let path, let number): "cannot listen on \(path): \(SystemError(number: number).text)"
      }
    }
  }
}

// MARK: - Steps

extension UnixSocketFile {
  private static func prepareFolder(of path: String) throws(Failure) {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let folder = end == path.startIndex ? "/" : String(path[..<end])
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .failed(path: folder, errno: errno) }
    var status = stat()
    guard stat(folder, &status) == 0 else { throw .failed(path: folder, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .failed(path: folder, errno: ENOTDIR) }
    guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else { throw .folderOpenToOthers(folder) }
  }

  /// Tries again if the locked file no longer has the name: its last holder has just removed it.
  private static func takeLock(_ path: String) throws(Failure) -> Int32 {
    while true {
      let descriptor = open(lockPath(path), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .failed(path: lockPath(path), errno: errno) }
      switch Flock.take(descriptor) {
      case .taken: break
      case .held:
        close(descriptor)
        throw .inUse(path: path)
      case .failed(let error):
        close(descriptor)
        throw .failed(path: lockPath(path), errno: error.number)
      }
      var (held, standing) = (stat(), stat())
      if fstat(descriptor, &held) == 0, lstat(lockPath(path), &standing) == 0, held.st_ino == standing.st_ino {
        return descriptor
      }
      close(descriptor)
    }
  }

  /// A socket that refuses connections is left over from a killed server.
  private static func removeStale(_ path: String) throws(Failure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe = makeUnixSocket()
    defer { close(probe) }
    // A stopped server would keep us waiting; it is enough to know that there is one.
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    let isServed = withUnixAddress(path, { connect(probe, $0, $1) }) == 0 || errno == EAGAIN
    guard !isServed else { throw .inUse(path: path) }
    guard errno == ECONNREFUSED else { throw .failed(path: path, errno: errno) }
    unlink(path)
  }

  /// Sets the mode before there is a file that could be opened.
  private static func bind(_ path: String) throws(Failure) -> Int32 {
    let descriptor = makeUnixSocket()
    guard descriptor >= 0, fchmod(descriptor, 0o600) == 0,
      withUnixAddress(path, { Glibc.bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0
    else {
      let number = errno
      if descriptor >= 0 { close(descriptor) }
      throw .failed(path: path, errno: number)
    }
    return descriptor
  }
}
