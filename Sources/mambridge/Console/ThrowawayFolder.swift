import Cryptography
import Glibc
import Model
import Support
import Vault

/// A private folder that ends with the process: it is removed at the end, and what a killed process left is removed when
/// the next one begins. The process holds a lock on its folder, by which others see that it is in use.
final class ThrowawayFolder {
  let path: String
  private let descriptor: Int32

  private static var prefix: String { "mambridge-console-\(geteuid())-" }

  /// In $XDG_RUNTIME_DIR, which is kept in memory and belongs to the user alone, or else in $TMPDIR or /tmp.
  init() throws {
    let parent = Self.parent
    Self.removeAbandoned(in: parent)
    guard let suffix = try? Random.bytes(8) else { throw CommandFailure(exitCode: 1, message: "no random bytes") }
    path = "\(parent)/\(Self.prefix)\(Hex.encode(suffix))"
    guard mkdir(path, 0o700) == 0 else { throw Self.failure(path) }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
      FileStatus(descriptor)?.isSameFile(as: FileStatus(path: path)) == true
    else { throw Self.failure(path) }
  }

  /// Overwrites the keys and removes everything. What cannot be removed now is removed by the next process.
  func remove() {
    Self.remove(path)
    close(descriptor)
  }

  /// Creates a file that only this user can read.
  func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(file) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw Self.failure(file) }
    return file
  }

  private static var parent: String {
    if let folder = environment("XDG_RUNTIME_DIR"), isPrivate(folder) { return folder }
    if let folder = environment("TMPDIR"), folder.hasPrefix("/"), access(folder, W_OK | X_OK) == 0 { return folder }
    return "/tmp"
  }

  private static func isPrivate(_ folder: String) -> Bool {
    var status = stat()
    return folder.hasPrefix("/") && lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid() && status.st_mode & 0o077 == 0 && access(folder, W_OK | X_OK) == 0
  }

  /// A folder whose lock can be taken belongs to no process any more.
  private static func removeAbandoned(in parent: String) {
    for name in (try? Folder.names(parent)) ?? [] where name.hasPrefix(prefix) {
      let folder = parent + "/" + name
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), isOld(status),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(folder)
    }
  }

  /// A process that has just made its folder may not have locked it yet.
  private static func isOld(_ status: stat) -> Bool { time(nil) - status.st_ctim.tv_sec >= 1 }

  private static func remove(_ folder: String) {
    for name in (try? Folder.names(folder)) ?? [] {
      let path = folder + "/" + name
      if Folder.exists(path) {
        remove(path)
      } else {
        if name.hasSuffix(".key") { try? KeyFile(path: path).destroy() }
        unlink(path)
      }
    }
    rmdir(folder)
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(exitCode: 1, message: "cannot create \(path): \(SystemError.current.text)")
  }
}
