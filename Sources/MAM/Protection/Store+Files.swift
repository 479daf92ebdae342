import Model
import SQLite
import Vault

/// The tables owned_files and temporary_files.
extension Store: FileLedger {
  func ownedFiles() throws(MAMError) -> [OwnedFileEntry] {
    try read { connection throws(SQLiteError) in try connection.ownedFiles() }
  }

  func ownedFile(_ inode: InodeID) throws(MAMError) -> OwnedFileEntry? {
    let sql = "SELECT \(OwnedFileEntry.columns) FROM owned_files WHERE device = ? AND inode = ?"
    return try read { connection throws(SQLiteError) in
      try connection.first(sql, inode.deviceValue, inode.inodeValue) { row in try OwnedFileEntry(row) } ?? nil
    }
  }

  func remember(_ file: OwnedFileEntry) throws(MAMError) {
    let inode = file.identity.inode
    try note { connection throws(SQLiteError) in
      try connection.run(
        "INSERT OR REPLACE INTO owned_files (\(OwnedFileEntry.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)", file.path,
        inode.deviceValue, inode.inodeValue, file.identity.born, file.owner.encoded ?? [], file.isMarked,
        file.isEncrypted)
    }
  }

  func forgetOwnedFile(_ inode: InodeID) throws(MAMError) {
    try note { connection throws(SQLiteError) in try connection.removeOwnedFile(inode) }
  }

  func temporaryFiles() throws(MAMError) -> [TemporaryFileEntry] {
    try read { connection throws(SQLiteError) in
      try connection.query("SELECT id, folder, target FROM temporary_files") { row in
        TemporaryFileEntry(id: try row.value(0), folder: try row.value(1), target: try row.value(2))
      }
    }
  }

  func remember(_ file: TemporaryFileEntry) throws(MAMError) {
    try note { connection throws(SQLiteError) in
      try connection.run(
        "INSERT INTO temporary_files (id, folder, target) VALUES (?, ?, ?)", file.id, file.folder, file.target)
    }
  }

  func forgetTemporaryFile(_ id: Int64) throws(MAMError) {
    try note { connection throws(SQLiteError) in
      try connection.run("DELETE FROM temporary_files WHERE id = ?", id)
    }
  }

  /// Drops what is known of files that belonged to who `isOwner` names, and were not where they were last met. How many.
  func forgetFiles(where isOwner: @Sendable (DataOwner) -> Bool) throws(MAMError) -> Int {
    try note { connection throws(SQLiteError) in
      let entries = try connection.ownedFiles().filter { isOwner($0.owner) }
      for entry in entries { try connection.removeOwnedFile(entry.identity.inode) }
      try connection.removeProviderOwners(where: isOwner)
      return entries.count
    }
  }
}

extension Connection {
  func ownedFiles() throws(SQLiteError) -> [OwnedFileEntry] {
    try query("SELECT \(OwnedFileEntry.columns) FROM owned_files ORDER BY path") { row throws(SQLiteError) in
      try OwnedFileEntry(row)
    }.compactMap(\.self)
  }

  fileprivate func removeOwnedFile(_ inode: InodeID) throws(SQLiteError) {
    try run("DELETE FROM owned_files WHERE device = ? AND inode = ?", inode.deviceValue, inode.inodeValue)
  }
}

extension InodeID {
  fileprivate var deviceValue: Int64 { Int64(bitPattern: device) }
  fileprivate var inodeValue: Int64 { Int64(bitPattern: inode) }
}

extension OwnedFileEntry {
  fileprivate static let columns = "path, device, inode, born, owner, is_marked, is_encrypted"

  /// Nil for an owner that cannot be read.
  fileprivate init?(_ row: Row) throws(SQLiteError) {
    guard let owner = DataOwner(bytes: try row.value(4)) else { return nil }
    let (device, inode): (Int64, Int64) = (try row.value(1), try row.value(2))
    let id = InodeID(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode))
    self.init(
      path: try row.value(0), identity: FileIdentity(inode: id, born: try row.value(3)), owner: owner,
      isMarked: try row.value(5), isEncrypted: try row.value(6))
  }
}
