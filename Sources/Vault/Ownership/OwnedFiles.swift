import Glibc
import Model
import Support

extension FileOwnership {
  /// What belongs to an account as each file says now; one that was given to somebody else is not among them. A file
  /// that was renamed is found again in the same folder and below it, on the same file system. `isOwner` tells whether
  /// an owner is the account; `report` gets what may be its file and cannot be looked at.
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

/// Where the files are that the ledger remembers.
private struct FilePlaces {
  private(set) var found: Set<AbsolutePath> = []
  /// By the folder in which they were last met.
  private var missing: [String: Set<InodeID>] = [:]

  /// What has the name of the entry now counts, whether it is the file that the entry speaks of or not.
  mutating func look(for entry: OwnedFileEntry) throws(MAMError) {
    guard let path = AbsolutePath(entry.path) else { return }
    let location = try FileLocation(path)
    let named = try location.status()
    if named?.kind == .file { found.insert(path) }
    if named?.inode != entry.identity.inode { missing[location.folder.path, default: []].insert(entry.identity.inode) }
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

extension FileOwnership {
  /// Removes a file that still belongs to who `isOwner` names. One that was given to somebody else meanwhile stays.
  ///
  /// One whose lock another process holds stays too, as `fileInUse`: that process is writing it.
  ///
  /// Killed in between, a plain one is found again by what it carries; an encrypted one, which would not be without its
  /// header, loses its name first.
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
      if canWrite, current.isEncrypted { try? file.overwrite(upTo: FileLayout.pageSize) }
      return true
    }
    guard isRemoved else { return }
    try location.folder.sync(dataOnly: false)
    try forget(inode)
  }

  /// For one file: a wipe has many, and goes on with what is left later.
  private static let patience = Duration.milliseconds(500)

  /// Whoever may not write a file may still be allowed to remove it.
  private func openForRemoval(_ location: FileLocation) throws(MAMError) -> (file: DiskFile, canWrite: Bool) {
    if let file = try? location.open(O_RDWR) { return (file, true) }
    return (try location.openForReading(), false)
  }
}
