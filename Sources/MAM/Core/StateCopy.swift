import Glibc
import Model
import SQLite
import Support
import Vault

/// Copies an app's state to another folder, in which it can be changed without consequences. The original is only read,
/// and may be in use.
package struct StateCopy {
  private let source: StateFolder
  private let target: StateFolder

  /// How long a state that changes is copied again and again.
  private static let patience = Duration.seconds(5)
  private static let pause: useconds_t = 20_000

  /// `target` must be an empty or missing folder.
  package init(of source: StateFolder, to target: StateFolder) {
    self.source = source
    self.target = target
  }

  /// Copies the databases, the keys and the log. All of them are as they were at one moment, apart from the log.
  ///
  /// `keyFile` is the key file if it is not in the state folder; its copy is. The copy knows no files of its accounts, so
  /// no wipe removes one, and no registrations with a policy source, which sees the copy as another device.
  package func make(keyFile: String? = nil) throws(MAMError) {
    try source.checkState()
    try target.create()
    let epoch = EpochPage(reading: source.epochPage)
    let end = ContinuousClock.now + Self.patience
    while true {
      let before = epoch.value
      let isWhole = try copyOnce(keyFile)
      if isWhole, epoch.value == before { break }
      guard ContinuousClock.now < end else { throw .restless(source.root) }
      try removeFiles(in: target.keys, except: [])
      for database in [target.database, target.device] { unlink(database) }
      usleep(Self.pause)
    }
    try copyFiles(from: source.logs, to: target.logs)
    try makeOtherApps()
    try forgetOutside()
  }

  /// Whether the copies fit together. A database that another process changes for a long time, or a file that vanishes,
  /// does not.
  private func copyOnce(_ keyFile: String?) throws(MAMError) -> Bool {
    try copyFiles(from: source.keys, to: target.keys, except: [source.epochPage.lastName])
    if let keyFile, access(target.keys + "/store.key", F_OK) == 0 {
      for suffix in ["", ".next"] { try copyFile(keyFile + suffix, to: target.keys + "/root.key" + suffix) }
    }
    for (path, copy) in [(source.database, target.database), (source.device, target.device)] {
      guard try copyDatabase(path, to: copy) else { return false }
    }
    return true
  }

  private func copyDatabase(_ path: String, to copy: String) throws(MAMError) -> Bool {
    guard let bytes = try unlessRestless(path, { () throws(SQLiteError) in try DatabaseCopy(path: path).bytes }) else {
      return false
    }
    guard !bytes.isEmpty else { return true }
    guard create(copy, bytes) else { throw .cannotUse(copy, errno) }
    let check = try unlessRestless(path) { () throws(SQLiteError) -> String? in
      try Connection(path: copy).value("PRAGMA quick_check(1)")
    }
    return check == "ok"
  }

  /// `nil` if the database was changed while it was read.
  private func unlessRestless<Value>(_ path: String, _ body: () throws(SQLiteError) -> Value) throws(MAMError) -> Value?
  {
    do throws(SQLiteError) {
      return try body()
    } catch {
      if [.busy, .corrupt, .notADatabase].contains(error.reason) { return nil }
      throw MAMError(error, path: path)
    }
  }

  /// Copies regular files, and folders with their files.
  private func copyFiles(from folder: String, to copy: String, except names: Set<String> = []) throws(MAMError) {
    for name in try Folder.names(folder) where !names.contains(name) {
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
    var bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileContents.read(descriptor)
    } catch {
      throw .cannotUse(path, error.number)
    }
    defer { bytes.clear() }
    guard create(copy, bytes) else { throw .cannotUse(copy, errno) }
  }

  /// Other apps keep the shared keys of an account alive, even in the copy.
  private func makeOtherApps() throws(MAMError) {
    for app in source.appsWithState where app != source.appId {
      guard mkdir(target.apps + "/" + app, 0o700) == 0 || errno == EEXIST else { throw .cannotUse(target.apps, errno) }
    }
  }

  private func removeFiles(in folder: String, except names: Set<String>) throws(MAMError) {
    for name in try Folder.names(folder) where !names.contains(name) {
      let path = folder + "/" + name
      guard Folder.exists(path) else {
        try KeyFile(path: path).destroy()
        continue
      }
      try removeFiles(in: path, except: [])
      rmdir(path)
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
  fileprivate static func restless(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "the state changes too often to be copied",
      hint: "End the programs that use it, or try again", path: path)
  }
}

/// Creates a file with this content, for the user alone. Returns false with `errno` set.
private func create(_ path: String, _ bytes: [UInt8]) -> Bool {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
