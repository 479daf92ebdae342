import Glibc
import Model
import SQLite

extension TemporaryFiles {
  /// Overwrites and removes what processes that are no more have left behind. Costs one look into the store when there is
  /// nothing. Gives the files that were to be made: each is the old one or the new one.
  func removeLeftovers(_ report: (MAMError) -> Void) throws(MAMError) -> [AbsolutePath] {
    var targets: [AbsolutePath] = []
    for leftover in try leftovers() {
      do throws(MAMError) {
        guard try remove(leftover) else { continue }
        if let path = AbsolutePath(leftover.folder + "/" + leftover.target) { targets.append(path) }
      } catch {
        report(error)
      }
    }
    return targets
  }

  private struct Leftover: Sendable {
    let name: TemporaryName
    let folder: String
    let target: String
  }

  private func leftovers() throws(MAMError) -> [Leftover] {
    try store.read { connection throws(SQLiteError) in
      try connection.query("SELECT id, folder, target FROM temporary_files") { row in
        Leftover(
          name: TemporaryName(id: try row.value(0)), folder: try row.value(1), target: try row.value(2))
      }
    }
  }

  /// False where a living process is still at it, and where the folder is not there: its disk may come back.
  private func remove(_ leftover: Leftover) throws(MAMError) -> Bool {
    guard let lock = try lock(leftover.name), let path = AbsolutePath(leftover.folder + "/" + leftover.name.text) else {
      return false
    }
    defer { withExtendedLifetime(lock) {} }
    do throws(MAMError) {
      let location = try FileLocation(path)
      if try location.status()?.kind == .file {
        try location.openForOverwriting().overwrite()
        try location.remove()
        try location.folder.sync(dataOnly: false)
      }
    } catch {
      if error.fault?.number == ENOENT || error.fault?.number == ENOTDIR { return false }
      throw error
    }
    try forget(leftover.name)
    return true
  }
}

extension FileLocation {
  /// Also what has got the mode of a file that nobody may write already.
  fileprivate func openForOverwriting() throws(MAMError) -> DiskFile {
    do throws(MAMError) {
      return try open(O_WRONLY)
    } catch {
      guard error.fault?.number == EACCES, fchmodat(folder.descriptor, name, 0o600, 0) == 0 else { throw error }
      return try open(O_WRONLY)
    }
  }
}
