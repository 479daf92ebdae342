import Glibc
import Model
import Support

/// What processes that were killed have left in a folder for temporary files.
package enum AbandonedFiles {
  /// How long a folder is tried to be removed again in which there are still files, and how often, in microseconds.
  private static let patience = Duration.seconds(1)
  private static let pause: UInt32 = 10_000

  /// Removes the folders of this user that no process locks. Whoever uses a folder locks its file `lockName`, or the folder
  /// itself for `nil`. With a `lockName`, also removes files that no process locks.
  package static func remove(
    from parent: String, lockName: String? = nil, at now: time_t = time(nil),
    where isOurs: (String) -> Bool = { _ in true }
  ) {
    for name in (try? Folder.names(parent)) ?? [] where isOurs(name) {
      let entry = parent + "/" + name
      let descriptor = open(entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), isOld(status, at: now) else { continue }
      guard status.st_mode & S_IFMT == S_IFDIR else {
        if lockName != nil, Flock.take(descriptor) == .taken { unlink(entry) }
        continue
      }
      let lock = lockName.map { openat(descriptor, $0, O_RDWR | O_NOFOLLOW | O_CLOEXEC) }
      // A folder without the file is half removed.
      let isHalf = lock == -1 && errno == ENOENT
      defer { if let lock, lock >= 0 { close(lock) } }
      if isHalf || Flock.take(lock ?? descriptor) == .taken { removeFolder(entry) }
    }
  }

  /// Removes a folder although a thread or a process that ends may make a file meanwhile. What stays is removed when a
  /// later process looks for abandoned files.
  package static func removeFolder(_ path: String) {
    let end = ContinuousClock.now + patience
    while (try? Folder.remove(path)) == nil, ContinuousClock.now < end { usleep(pause) }
  }

  /// A process that has just made its folder may not have locked it yet.
  private static func isOld(_ status: stat, at now: time_t) -> Bool { now - status.st_ctim.tv_sec >= 2 }
}

/// The folder with the files of this user's running development tenants, which all programs of mambridge tidy up.
package enum DevelopmentRuns {
  /// The file that a process locks in the folder of a tenant.
  package static let lockName = "in-use"

  /// In $XDG_RUNTIME_DIR if that belongs to the user alone, or else in /tmp.
  package static var path: String {
    RuntimeFolder.path.map { $0 + "/mambridge-tenant-dev" } ?? "/tmp/mambridge-tenant-dev-\(geteuid())"
  }

  /// Does nothing if another user can change the folder.
  package static func removeAbandoned() {
    guard RuntimeFolder.isPrivate(path) else { return }
    AbandonedFiles.remove(from: path, lockName: lockName)
  }
}

/// $XDG_RUNTIME_DIR.
package enum RuntimeFolder {
  /// `nil` if the variable names no folder that belongs to the user alone.
  package static var path: String? { environment("XDG_RUNTIME_DIR").flatMap { isPrivate($0) ? $0 : nil } }

  static func isPrivate(_ folder: String) -> Bool {
    var status = stat()
    return folder.hasPrefix("/") && lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
  }
}
