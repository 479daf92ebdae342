import Model
import SQLite
import Vault

/// The tables owned_files and temporary_files.
extension Store: FileLedger {
  func ownedFiles() throws(MAMError) -> [OwnedFileEntry] {
    try read { connection throws(SQLiteError) in try connection.ownedFiles() }
  }

  func ownedFile(_ inode: InodeID) throws(MAMError) -> OwnedFileEntry? {
    try read { connection throws(SQLiteError) in
      try connection.first(
        OwnedFileEntry.table, "WHERE device = ? AND inode = ?", inode.deviceValue, inode.inodeValue)
    }
  }

  func remember(_ file: OwnedFileEntry) throws(MAMError) {
    try note { connection throws(SQLiteError) in try connection.save(file, to: OwnedFileEntry.table) }
  }

  func forgetOwnedFile(_ inode: InodeID) throws(MAMError) {
    try note { connection throws(SQLiteError) in try connection.removeOwnedFile(inode) }
  }

  func temporaryFiles() throws(MAMError) -> [TemporaryFileEntry] {
    try read { connection throws(SQLiteError) in try connection.all(TemporaryFileEntry.table) }
  }

  func remember(_ file: TemporaryFileEntry) throws(MAMError) {
    try note { connection throws(SQLiteError) in try connection.insert(file, into: TemporaryFileEntry.table) }
  }

  func forgetTemporaryFile(_ id: Int64) throws(MAMError) {
    try note { connection throws(SQLiteError) in
      try connection.run("DELETE FROM temporary_files WHERE id = ?", id)
    }
  }

  /// Forgets the files of owners for whom `isOwner` is true, which were not found where they were last seen. Returns
  /// their number.
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
    try all(OwnedFileEntry.table, "ORDER BY path")
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
  /// Files as last seen. `is_encrypted` shows that a file without a header has lost it. It is false for files that were
  /// not seen since the column was added.
  static let table = Table(
    "owned_files", since: 4,
    blank: OwnedFileEntry(
      path: "", identity: FileIdentity(inode: InodeID(device: 0, inode: 0), born: 0),
      owner: DataOwner(accountId: nil, tenantId: nil, identity: nil), isMarked: false)
  ) { file, column in
    var (inode, born) = (file.identity.inode, file.identity.born)
    var (deviceValue, inodeValue) = (inode.deviceValue, inode.inodeValue)
    column("device", &deviceValue, .key)
    column("inode", &inodeValue, .key)
    column("born", &born, .hasDefault)
    column("path", &file.path)
    column("owner", &file.owner)
    column("is_marked", &file.isMarked)
    column("is_encrypted", &file.isEncrypted, .hasDefault, since: 10)
    inode = InodeID(device: UInt64(bitPattern: deviceValue), inode: UInt64(bitPattern: inodeValue))
    file.identity = FileIdentity(inode: inode, born: born)
  }
}

/// Encoded as in a file header. An owner that is too long for a header is stored as nobody.
extension DataOwner: Storable {
  package var stored: [UInt8] { encoded ?? [] }
  package init?(stored: [UInt8]) { self.init(bytes: stored) }
}

extension TemporaryFileEntry {
  /// Files that may have to be removed.
  static let table = Table(
    "temporary_files", since: 4, blank: TemporaryFileEntry(id: 0, folder: "", target: "")
  ) { file, column in
    column("id", &file.id, .key)
    column("folder", &file.folder)
    column("target", &file.target)
  }
}
