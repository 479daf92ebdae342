import Glibc
import Model
import Support

extension FileOwnership {
  /// The files of an account according to the files themselves; a file that was given to another owner is not included.
  /// A renamed file is found in the same folder or below it, on the same file system. `isOwner` decides whether an
  /// owner is the account. `report` receives errors about possible files that cannot be examined.
  package func files(
    where isOwner: (DataOwner) -> Bool, report: (MAMError) -> Void = { _ in }
  ) throws(MAMError) -> [OwnedFile] {
    var places = FilePlaces()
    for entry in try ledger.ownedFiles() where isOwner(entry.owner) {
      reporting(report) { () throws(MAMError) in try places.look(for: entry) }
    }
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

/// The locations of the files in the ledger.
private struct FilePlaces {
  private(set) var found: Set<AbsolutePath> = []
  /// By the folder in which they were last found.
  private var missing: [String: Set<InodeID>] = [:]

  /// Includes the file that has the entry's name now, even if the entry is about another file.
  mutating func look(for entry: OwnedFileEntry) throws(MAMError) {
    guard let path = AbsolutePath(entry.path) else { return }
    let location = try FileLocation(path)
    let named = try location.status()
    if named?.kind == .file { found.insert(path) }
    if named?.inode != entry.identity.inode { missing[location.folder.path, default: []].insert(entry.identity.inode) }
  }

  /// Searches each folder once, however many of its files are missing.
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

/// Ignores errors about missing files.
private func reporting(_ report: (MAMError) -> Void, _ body: () throws(MAMError) -> Void) {
  do throws(MAMError) {
    try body()
  } catch {
    if ![ENOENT, ENOTDIR].contains(error.fault?.number) { report(error) }
  }
}

extension FileOwnership {
  /// Removes a file if `isOwner` still accepts its owner. A file that was given to another owner meanwhile stays.
  ///
  /// A file whose lock another process holds also stays, and this throws `fileInUse`: that process is writing the file.
  ///
  /// After a kill in between, a plain file is found again by its attribute. An encrypted file would not be found
  /// without its header, so it loses its name first.
  package func remove(_ owned: OwnedFile, where isOwner: (DataOwner) -> Bool) throws(MAMError) {
    guard let path = AbsolutePath(owned.path) else { return }
    let location = try FileLocation(path)
    let (file, canWrite) = try openForRemoval(location)
    let inode = InodeID(try file.status())
    let isRemoved = try FileLock.of(file).withLock(file, atMost: Self.patience) { () throws(MAMError) -> Bool in
      guard let current = try findDamagedToo(file), isOwner(current.owner) else { return false }
      if canWrite, !current.isEncrypted { try? file.overwrite() }
      guard try location.status()?.inode == inode else { throw .inUse(location.path) }
      try location.remove()
      guard canWrite, current.isEncrypted else { return true }
      // After a power cut, a name that is back must not name a file without its header, which nobody would find again.
      try location.folder.sync(dataOnly: false)
      try? file.overwrite(upTo: FileLayout.pageSize)
      return true
    }
    guard isRemoved else { return }
    try location.folder.sync(dataOnly: false)
    try forget(inode)
  }

  /// The limit for one file. A wipe has many files, and continues with the remaining ones later.
  private static let patience = Duration.milliseconds(500)

  /// A user who may not write a file may still be allowed to remove it.
  private func openForRemoval(_ location: FileLocation) throws(MAMError) -> (file: DiskFile, canWrite: Bool) {
    if let file = try? location.open(O_RDWR) { return (file, true) }
    return (try location.openForReading(), false)
  }
}
