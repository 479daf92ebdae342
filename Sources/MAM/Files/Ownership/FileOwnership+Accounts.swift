import Glibc
import Model
import SQLite

extension FileOwnership {
  /// What belongs to an account as each file says now; one that was given to somebody else is not among them. A file
  /// that was renamed is found again in the same folder. `isOwner` tells whether an owner is the account; `report` gets
  /// what may be its file and cannot be looked at.
  package func files(
    where isOwner: (DataOwner) -> Bool, report: (MAMError) -> Void = { _ in }
  ) throws(MAMError) -> [OwnedFile] {
    let rows = try store.read { connection throws(SQLiteError) in try connection.ownedFiles() }
    var files: [String: OwnedFile] = [:]
    for row in rows where isOwner(row.owner) {
      do throws(MAMError) {
        for location in try locations(of: row) {
          guard let owned = try find(location.openForReading()), isOwner(owned.owner) else { continue }
          files[owned.path] = owned
        }
      } catch {
        if ![ENOENT, ENOTDIR].contains(error.fault?.number) { report(error) }
      }
    }
    return files.values.sorted { $0.path < $1.path }
  }

  /// What has the name of the row now, and the file that it was met with.
  private func locations(of row: OwnedFileRow) throws(MAMError) -> [FileLocation] {
    guard let path = AbsolutePath(row.path) else { return [] }
    let location = try FileLocation(path)
    let named = try location.status()
    let renamed = named?.inode == row.identity.inode ? nil : try location.find(row.identity)
    return (named?.kind == .file ? [location] : []) + (renamed.map { [$0] } ?? [])
  }
}

extension FileLocation {
  /// The file under another name of the same folder.
  fileprivate func find(_ identity: FileIdentity) throws(MAMError) -> FileLocation? {
    for name in try folder.entries() {
      let other = sibling(name)
      if let status = try other.status(), status.inode == identity.inode, status.kind == .file { return other }
    }
    return nil
  }
}
