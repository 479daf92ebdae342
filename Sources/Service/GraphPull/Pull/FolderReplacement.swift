import CGlibc
import Glibc
import Support
import Tenancy

/// Writes a folder of files beside another one, and puts it in that one's place in one step: a reader sees all files of
/// the one or of the other, also after a crash.
package struct FolderReplacement {
  private static let lockPatience = Duration.seconds(10)

  private let path: String
  /// A symbolic link to the folder stays; the folder that it leads to is replaced.
  private let place: FolderPlace
  /// Beside the folder. What a killed pull has left there is removed by the next one.
  private let draft: String
  private let allowed: Set<String>
  private let subfolders: [String]

  /// Runs a body with the lock of the folder's parent. `names` are the only files, and `subfolders` the only folders, that
  /// the folder may have.
  package static func run<Result>(
    at path: String, names: [String], subfolders: [String], _ body: (FolderReplacement) throws(PullFailure) -> Result
  ) throws(PullFailure) -> Result {
    let replacement = try FolderReplacement(path, names, subfolders)
    defer { withExtendedLifetime(replacement.place) {} }
    try replacement.lock()
    try replacement.checkContents()
    try replacement.removeDraft()
    return try body(replacement)
  }

  private init(_ path: String, _ names: [String], _ subfolders: [String]) throws(PullFailure) {
    do throws(SystemError) { place = try FolderPlace(path) } catch {
      guard error.number != EINVAL else { throw PullFailure("\(path) is not the name of a folder.") }
      throw PullFailure("Cannot open the folder above \(path): \(error.text).")
    }
    draft = ".\(place.name).pull"
    self.path = path
    allowed = Set(names)
    self.subfolders = subfolders
  }

  private var parent: Int32 { place.parent }
  private var name: String { place.name }

  /// Two pulls into neighboring folders take turns.
  private func lock() throws(PullFailure) {
    let end = ContinuousClock.now + Self.lockPatience
    let outcome = Flock.take(parent) {
      OutsideWait.sleep(.milliseconds(20))
      return ContinuousClock.now < end
    }
    switch outcome {
    case .taken: return
    case .failed(let error): throw PullFailure("Cannot lock the folder above \(path): \(error.text).")
    case .held:
      throw PullFailure(
        "Cannot lock the folder above \(path): \(LockHolder.name(of: parent)) holds the lock. Try again. If this goes "
          + "on, end the process that holds the lock.")
    }
  }

  /// The status of a name in the parent; `nil` if there is none.
  private func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Whether the folder has such a file.
  func has(_ file: String) -> Bool { status("\(name)/\(file)") != nil }

  /// Refuses to replace a folder that holds something else than pull writes.
  private func checkContents() throws(PullFailure) {
    guard let status = status(name) else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw PullFailure("\(path) is not a folder.") }
    for entry in try entries(of: name) {
      if subfolders.contains(entry) {
        for inner in try entries(of: "\(name)/\(entry)") { try check("\(entry)/\(inner)") }
      } else {
        try check(entry)
      }
    }
  }

  private func check(_ entry: String) throws(PullFailure) {
    guard !allowed.contains(entry) else { return }
    guard entry != FolderOwnership.edited else {
      throw PullFailure(
        "\(path) was changed through the tenant service (\(entry) says so), and a pull would take those changes back. "
          + "Pull into another folder; or, if the changes are to go, remove \(path)/\(entry) and pull again.")
    }
    throw PullFailure(
      "\(path) has \(entry), which pull did not write and would remove. Move it away, or pull into a folder of its own."
    )
  }

  private func entries(of folder: String) throws(PullFailure) -> [String] {
    let descriptor = openat(parent, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("read \(folder)") }
    guard let handle = fdopendir(descriptor) else {
      let cause = failure("read \(folder)")
      close(descriptor)
      throw cause
    }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Has only files that pull writes, so nothing else is ever removed.
  private func removeDraft() throws(PullFailure) {
    guard status(draft) != nil else { return }
    for name in allowed { unlinkat(parent, "\(draft)/\(name)", 0) }
    for folder in subfolders { unlinkat(parent, "\(draft)/\(folder)", AT_REMOVEDIR) }
    guard unlinkat(parent, draft, AT_REMOVEDIR) == 0 else {
      throw PullFailure("Cannot remove the folder \(draft) beside \(path): \(SystemError.current.text). Remove it.")
    }
  }

  private func failure(_ what: String) -> PullFailure {
    PullFailure("Cannot \(what) for \(path): \(SystemError.current.text). Nothing was changed.")
  }
}

extension FolderReplacement {
  /// Puts the files in the folder's place. Owner and modes are those of the files before; a new file gets those of
  /// tenant.json.
  package func replace(with files: [(name: String, text: String)]) throws(PullFailure) {
    do throws(PullFailure) {
      try write(files)
      try exchange()
    } catch {
      try? removeDraft()
      throw error
    }
    guard fsync(parent) == 0 || errno == EINVAL else {
      throw PullFailure(
        "\(path) is replaced, but a power failure may bring back the old folder: its parent folder cannot be synced, "
          + "\(SystemError.current.text). Check the disk, and pull again.")
    }
    // Until the exchange is on the disk, the old folder may be needed.
    try? removeDraft()
  }

  private func write(_ files: [(name: String, text: String)]) throws(PullFailure) {
    guard mkdirat(parent, draft, 0o700) == 0 else { throw failure("make a folder") }
    for folder in subfolders {
      guard mkdirat(parent, "\(draft)/\(folder)", 0o700) == 0 else { throw failure("make a folder") }
    }
    for file in files { try write(file.name, Array(file.text.utf8)) }
    for folder in subfolders { try finishFolder("/" + folder) }
    try finishFolder("")
  }

  private func write(_ name: String, _ bytes: [UInt8]) throws(PullFailure) {
    let file = openat(parent, "\(draft)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure("write \(name)") }
    defer { close(file) }
    guard (try? WholeBytes.write(bytes, to: file)) != nil else { throw failure("write \(name)") }
    let model = status("\(self.name)/\(name)") ?? status("\(self.name)/\(PulledFolder.tenantFile)")
    try dress(file, like: model, otherwise: 0o666)
    guard fsync(file) == 0 else { throw failure("sync \(name)") }
  }

  private func finishFolder(_ folder: String) throws(PullFailure) {
    let descriptor = openat(parent, draft + folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open a folder") }
    defer { close(descriptor) }
    try dress(descriptor, like: status(name + folder) ?? status(name), otherwise: 0o777)
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("sync a folder") }
  }

  /// Gives a file or folder the owner and the mode of another one.
  private func dress(_ descriptor: Int32, like model: stat?, otherwise mode: mode_t) throws(PullFailure) {
    guard let model else {
      let mask = umask(0)
      umask(mask)
      guard fchmod(descriptor, mode & ~mask) == 0 else { throw failure("set the mode") }
      return
    }
    var own = stat()
    guard fstat(descriptor, &own) == 0 else { throw failure("read the owner") }
    if (own.st_uid, own.st_gid) != (model.st_uid, model.st_gid) {
      guard fchown(descriptor, model.st_uid, model.st_gid) == 0 else {
        let owner = "user \(model.st_uid), group \(model.st_gid)"
        throw PullFailure(
          "Cannot give the new files to the owner of the old ones (\(owner)): \(SystemError.current.text). "
            + "Run as that user. Nothing was changed.")
      }
    }
    guard fchmod(descriptor, model.st_mode & 0o7777) == 0 else { throw failure("set the mode") }
  }

  private func exchange() throws(PullFailure) {
    let hasOld = status(name) != nil
    let status =
      hasOld
      ? cglibc_rename_exchange(parent, draft, parent, name) : cglibc_rename_new(parent, draft, parent, name)
    guard status != 0 else { return }
    guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else { throw failure("exchange the folders") }
    // Without an old folder, nobody reads it, so a plain rename is one step, too.
    if !hasOld, renameat(parent, draft, parent, name) == 0 { return }
    throw PullFailure(
      "The file system of \(path) cannot exchange two folders in one step (renameat2). Nothing was changed. Put the "
        + "folder on another file system, or pull into a new folder each time and point a symbolic link at it.")
  }
}
