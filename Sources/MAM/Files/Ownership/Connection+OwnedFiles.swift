import SQLite

/// A file as the store remembers it.
struct OwnedFileRow: Equatable, Sendable {
  let path: String
  let identity: FileIdentity
  let owner: DataOwner
  /// Whether the file itself says whose it is; the row then only helps to find it.
  let isMarked: Bool
  var isEncrypted = false
}

extension Connection {
  func ownedFiles() throws(SQLiteError) -> [OwnedFileRow] {
    try query("SELECT \(OwnedFileRow.columns) FROM owned_files ORDER BY path") { row throws(SQLiteError) in
      try OwnedFileRow(row)
    }.compactMap(\.self)
  }

  /// By whatever name.
  func ownedFile(_ inode: InodeID) throws(SQLiteError) -> OwnedFileRow? {
    let sql = "SELECT \(OwnedFileRow.columns) FROM owned_files WHERE device = ? AND inode = ?"
    return try first(sql, inode.deviceValue, inode.inodeValue) { row in try OwnedFileRow(row) } ?? nil
  }

  /// Takes the place of what was known of the file. Another one that was met by the same name stays known: it may have
  /// been renamed.
  func save(_ file: OwnedFileRow) throws(SQLiteError) {
    let inode = file.identity.inode
    try run(
      "INSERT OR REPLACE INTO owned_files (\(OwnedFileRow.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)", file.path,
      inode.deviceValue, inode.inodeValue, file.identity.born, file.owner.encoded ?? [], file.isMarked,
      file.isEncrypted)
  }

  func removeOwnedFile(_ inode: InodeID) throws(SQLiteError) {
    try run("DELETE FROM owned_files WHERE device = ? AND inode = ?", inode.deviceValue, inode.inodeValue)
  }
}

extension InodeID {
  init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  fileprivate var deviceValue: Int64 { Int64(bitPattern: device) }
  fileprivate var inodeValue: Int64 { Int64(bitPattern: inode) }
}

extension OwnedFileRow {
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
