import Glibc
import Model
import SQLite
import Support
import Vault

/// Copies an app's state to another folder, in which it can be changed without consequences. The original is only read,
/// and may be in use.
package struct StateCopy {
  /// What a copy is for.
  package enum Purpose: Sendable {
    /// To be changed beside the original: without its root secret, its files and its registrations.
    case trial
    /// To take the place of the original later: with the states of all apps, and everything in them.
    case restoring
  }

  private let source: StateFolder
  private let target: StateFolder
  private let purpose: Purpose

  /// How long a state that changes is copied again and again.
  private static let patience = Duration.seconds(5)
  private static let pause: useconds_t = 20_000

  /// `target` must be an empty or missing folder.
  package init(of source: StateFolder, to target: StateFolder, for purpose: Purpose = .trial) {
    self.source = source
    self.target = target
    self.purpose = purpose
  }

  /// Copies the databases, the keys and the log. All of them are as they were at one moment, apart from the log. Throws
  /// 6004 if a database is damaged.
  ///
  /// For a trial, the root secret is not copied: open the copy with that of the original. Such a copy knows no files of
  /// its accounts, so no wipe removes one, and no registrations with a policy source, which sees the copy as another
  /// device.
  package func make() throws(MAMError) {
    try source.checkState()
    try target.create()
    let epoch = EpochPage(reading: source.epochPage)
    let end = ContinuousClock.now + Self.patience
    var damage: Damage?
    while true {
      let before = epoch.value
      let isWhole = try copyOnce(&damage)
      if isWhole, epoch.value == before { break }
      guard ContinuousClock.now < end else { throw .changesTooOften(source.root) }
      try Folder.remove(target.keys)
      for database in databases { unlink(database.copy) }
      usleep(Self.pause)
      try target.create()
    }
    try copyFiles(from: source.logs, to: target.logs)
    try makeOtherApps()
    if source.isForDevelopment { try target.markForDevelopment() }
    if purpose == .trial { try forgetOutside() }
  }

  private var databases: [(original: String, copy: String)] {
    let others = purpose == .restoring ? source.appsWithState.filter { $0 != source.appId } : []
    return [(source.database, target.database), (source.device, target.device)]
      + others.map { (source.forApp($0).database, target.forApp($0).database) }
  }

  /// Damage that was found in a database, which may only be a change that was going on.
  private struct Damage: Equatable {
    let path: String
    let stamp: DatabaseStamp
  }

  /// Whether the copies fit together. A database that another process changes for a long time, or a file that vanishes,
  /// does not.
  private func copyOnce(_ damage: inout Damage?) throws(MAMError) -> Bool {
    try copyFiles(from: source.keys, to: target.keys) { name in
      name != source.epochPage.lastName && (purpose == .restoring || !name.hasPrefix(StateFolder.keyFileName))
    }
    if purpose == .restoring { try makeOtherApps() }
    for (path, copy) in databases {
      guard try copyDatabase(path, to: copy, &damage) else { return false }
    }
    return true
  }

  /// Returns false if the database was changed while it was read. Throws if it is damaged at the second look, too, and
  /// was not changed between the two.
  private func copyDatabase(_ path: String, to copy: String, _ damage: inout Damage?) throws(MAMError) -> Bool {
    let found = Damage(path: path, stamp: DatabaseStamp(path: path))
    let database: DatabaseCopy
    do throws(SQLiteError) {
      database = try DatabaseCopy(path: path)
    } catch {
      guard error.reason == .busy else { throw MAMError(error, path: path) }
      return false
    }
    do throws(SQLiteError) {
      if !database.bytes.isEmpty { try database.write(to: copy) }
      return true
    } catch {
      guard [.corrupt, .notADatabase].contains(error.reason) else { throw MAMError(error, path: copy) }
      guard damage != found else { throw MAMError(error, path: path) }
      damage = found
      return false
    }
  }

  /// Copies regular files, and folders with their files.
  private func copyFiles(
    from folder: String, to copy: String, where isWanted: (String) -> Bool = { _ in true }
  ) throws(MAMError) {
    for name in try Folder.names(folder) where isWanted(name) {
      let path = folder + "/" + name
      if Folder.exists(path) {
        guard mkdir(copy + "/" + name, 0o700) == 0 || errno == EEXIST else { throw .cannotUse(copy, errno) }
        try copyFiles(from: path, to: copy + "/" + name)
      } else {
        try copyFile(path, to: copy + "/" + name)
      }
    }
  }

  /// Does nothing if there is no such file, or if it is not a regular file.
  private func copyFile(_ path: String, to copy: String) throws(MAMError) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard [ENOENT, ELOOP, ENXIO].contains(errno) else { throw .cannotUse(path, errno) }
      return
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    let target = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw .cannotUse(copy, errno) }
    defer { close(target) }
    guard copyContent(of: descriptor, to: target) else { throw .cannotUse(copy, errno) }
  }

  /// Other apps keep the shared keys of an account alive, even in the copy.
  private func makeOtherApps() throws(MAMError) {
    for app in source.appsWithState where app != source.appId {
      guard mkdir(target.apps + "/" + app, 0o700) == 0 || errno == EEXIST else { throw .cannotUse(target.apps, errno) }
    }
  }

  private func forgetOutside() throws(MAMError) {
    let store = try Store(path: target.database, migrations: StateSchema.app)
    try store.note { connection throws(SQLiteError) in
      for table in ["temporary_files", "owned_files", "registrations", "source_reports"] {
        try connection.run("DELETE FROM \(table)")
      }
    }
    store.close()
  }
}

extension MAMError {
  fileprivate static func changesTooOften(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "the state changes too often to be copied",
      hint: "End the programs that use it, or try again", path: path)
  }
}

/// Copies inside the kernel, so that nothing of the content is left in this process.
private func copyContent(of source: Int32, to target: Int32) -> Bool {
  while true {
    let count = uninterrupted { sendfile(target, source, nil, 1 << 30) }
    guard count > 0 else { return count == 0 }
  }
}
