import CGlibc
import Glibc
import Model
import Support

/// Operations on folders that contain key files.
package enum Folder {
  /// Creates the folder for this user only, and syncs the parent. Does nothing if it exists.
  static func make(_ path: String, in parent: String) throws(MAMError) {
    if mkdir(path, 0o700) == 0 { return try sync(parent) }
    guard errno == EEXIST else { throw .cannotUse(path, errno) }
  }

  /// Makes new and removed names durable.
  package static func sync(_ path: String) throws(MAMError) {
    try withDescriptor(path) { descriptor throws(MAMError) in
      guard fsync(descriptor) == 0 else { throw .cannotUse(path, errno) }
    }
  }

  /// Excludes all other threads and processes that lock the same folder. Must not be nested for one folder. Throws
  /// `stateInUse` if others hold the lock too long.
  package static func withLock<Result>(
    _ path: String, _ body: () throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    try withDescriptor(path) { descriptor throws(MAMError) in
      guard try Flock.isTaken(descriptor, path) else {
        throw .stateInUse(path, by: LockHolder.name(of: descriptor), "the keys")
      }
      return try body()
    }
  }

  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether both paths lead to the same folder or file.
  static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
  }

  /// The names in the folder, in no particular order; empty if there is no folder.
  package static func names(_ path: String) throws(MAMError) -> [String] {
    guard let folder = opendir(path) else {
      guard errno == ENOENT else { throw .cannotUse(path, errno) }
      return []
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      names.append(name)
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// Removes the folder with everything in it; overwrites the files first. Does nothing if there is no folder. If
  /// something cannot be removed, removes the rest and throws the first error.
  package static func remove(_ path: String) throws(MAMError) {
    var failure: MAMError?
    for name in try names(path) {
      let entry = path + "/" + name
      do throws(MAMError) {
        if exists(entry) { try remove(entry) } else { try KeyFile(path: entry).destroy() }
      } catch {
        // A file that cannot be overwritten is removed as it is.
        if unlink(entry) != 0, errno != ENOENT { failure = failure ?? error }
      }
    }
    guard rmdir(path) == 0 || errno == ENOENT else { throw failure ?? .cannotUse(path, errno) }
  }

  private static func withDescriptor<Result>(
    _ path: String, _ body: (Int32) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotUse(path, errno) }
    defer { close(descriptor) }
    return try body(descriptor)
  }
}

extension Flock {
  /// Returns false if others held the lock for as long as this call may wait; see `OutsideWait`. Does not wait if `limit`
  /// is zero.
  package static func isTaken(
    _ descriptor: Int32, _ path: String, for use: Use = .changing, atMost limit: Duration? = nil
  ) throws(MAMError) -> Bool {
    var wait = OutsideWait(atMost: limit)
    switch take(descriptor, for: use, pause: { wait.pause() }) {
    case .taken: return true
    case .held: return false
    case .failed(let error): throw .cannotUse(path, error.number)
    }
  }
}

extension MAMError {
  /// A system call on a file or folder of the state failed.
  package static func cannotUse(_ path: String, _ number: Int32) -> MAMError {
    let reason = SystemError(number: number).text
    switch number {
    case ENOSPC, EDQUOT, EFBIG:
      return MAMError(
        .diskFull, "no space is left for the state folder", hint: "Free some space and try again", path: path)
    case EACCES, EPERM:
      return MAMError(
        .storeUnavailable, "cannot use the state folder: \(reason)",
        hint: "Give this user access to the folder, or choose another one with --state", path: path)
    default:
      return MAMError(
        .storeUnavailable, "cannot use the state folder: \(reason)", hint: "Choose another one with --state",
        path: path)
    }
  }

  /// `what` is what the lock guards, for example "the keys".
  package static func stateInUse(_ path: String, by holder: String, _ what: String) -> MAMError {
    MAMError(
      .stateInUse, "\(holder) holds the lock on \(what)",
      hint: "Try again. If this goes on, end the process that holds the lock", path: path)
  }
}
