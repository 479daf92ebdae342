import Glibc
import Model
import SQLite

extension FileOwnership {
  /// What belongs to an account as each file says now; one that was given to somebody else is not among them. A file
  /// that was renamed is found again in the same folder and below it, on the same file system. `isOwner` tells whether
  /// an owner is the account; `report` gets what may be its file and cannot be looked at.
  package func files(
    where isOwner: (DataOwner) -> Bool, report: (MAMError) -> Void = { _ in }
  ) throws(MAMError) -> [OwnedFile] {
    let rows = try store.read { connection throws(SQLiteError) in try connection.ownedFiles() }
    var places = FilePlaces()
    for row in rows where isOwner(row.owner) { reporting(report) { () throws(MAMError) in try places.look(for: row) } }
    places.searchMissing(report)
    var files: [String: OwnedFile] = [:]
    for path in places.found {
      reporting(report) { () throws(MAMError) in
        let file = try FileLocation(path).openForReading()
        guard let owned = try findDamagedToo(file), isOwner(owned.owner) else { return }
        files[owned.path] = owned
      }
    }
    return files.values.sorted { $0.path < $1.path }
  }
}

/// Where the files are that the store remembers.
private struct FilePlaces {
  private(set) var found: Set<AbsolutePath> = []
  /// By the folder in which they were last met.
  private var missing: [String: Set<InodeID>] = [:]

  /// What has the name of the row now counts, whether it is the file that the row speaks of or not.
  mutating func look(for row: OwnedFileRow) throws(MAMError) {
    guard let path = AbsolutePath(row.path) else { return }
    let location = try FileLocation(path)
    let named = try location.status()
    if named?.kind == .file { found.insert(path) }
    if named?.inode != row.identity.inode { missing[location.folder.path, default: []].insert(row.identity.inode) }
  }

  /// Each folder once, however many of its files are missing.
  mutating func searchMissing(_ report: (MAMError) -> Void) {
    for (path, inodes) in missing {
      reporting(report) { () throws(MAMError) in found.formUnion(try Self.search(path, for: inodes)) }
    }
  }

  private static func search(_ path: String, for inodes: Set<InodeID>) throws(MAMError) -> [AbsolutePath] {
    let folder = try DiskFile(opened: open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path: path)
    var found: [AbsolutePath] = []
    let device = try InodeID(folder.status()).device
    let walk = FileWalk(state: .none, device: device, skipsTemporary: false) { location, status throws(MAMError) in
      if inodes.contains(status.inode), let path = AbsolutePath(location.path) { found.append(path) }
    } report: { _ in
    }
    try walk.run(folder)
    return found
  }
}

/// What is not there is no failure.
private func reporting(_ report: (MAMError) -> Void, _ body: () throws(MAMError) -> Void) {
  do throws(MAMError) {
    try body()
  } catch {
    if ![ENOENT, ENOTDIR].contains(error.fault?.number) { report(error) }
  }
}
