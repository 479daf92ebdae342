import Glibc
import Model
import Support

/// Files in a tenant's folder that say who writes it. A check-in does not read them.
package enum FolderOwnership {
  /// Made by `mambridge-tenant pull`, which would overwrite all other changes.
  package static let pulled = ".mambridge-pulled"
  /// Made before the first change through Graph, which a pull would take back.
  package static let edited = ".mambridge-edited"
}

/// The folder of a tenant, opened for one edit, under the lock that all programs of mambridge take that write it.
///
/// Editors and git know no lock of ours. So each file is exchanged in one step, and goes back if it was not the one that
/// was read (`ContestedFolder`). The files of an edit are written in an order in which a check-in can read the tenant after
/// each of them.
package final class EditedFolder {
  private static let lockSeconds = 5
  private static let usualFolders = ["", "policies", "configurations"]

  private let path: String
  private let place: FolderPlace
  /// Of the open folder, so that all files are of one, even if another one takes its place meanwhile.
  private let folder: Int32
  /// Those of the last reading.
  private var marks = FolderMarks()

  /// Why a folder is not written.
  package enum Refusal: Error, Hashable, Sendable {
    /// Others use it now. Try again in some seconds.
    case busy(String)
    /// Somebody has to do something first.
    case unsuitable(String)
  }

  private init(_ path: String, _ place: FolderPlace) throws(Refusal) {
    (self.path, self.place) = (path, place)
    folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Self.cannot("open the folder \(path)") }
  }

  deinit { if folder >= 0 { close(folder) } }

  /// Takes the lock, and ends what a killed process has left.
  package static func open(_ path: String) async throws(Refusal) -> EditedFolder {
    let place: FolderPlace
    do throws(SystemError) { place = try FolderPlace(path) } catch {
      throw cannot("open the folder above \(path)", error)
    }
    var wait = OutsideWait(atMost: .seconds(lockSeconds))
    switch await Flock.take(place.parent, pause: { await wait.pauseTask() }) {
    case .taken: break
    case .failed(let error): throw cannot("lock the folder above \(path)", error)
    case .held: throw .busy("\(LockHolder.name(of: place.parent)) holds the lock of the folder above the tenant's.")
    }
    let folder = try EditedFolder(path, place)
    for name in usualFolders {
      try folder.inFolder(name) { (shared) throws(SystemError) in try shared.finish() }
    }
    return folder
  }

  private static func cannot(_ action: String, _ error: SystemError = .current) -> Refusal {
    .unsuitable("Cannot \(action): \(error.text).")
  }

  /// Whether the path still leads to this folder.
  package var isCurrent: Bool {
    var (own, named) = (stat(), stat())
    guard fstat(folder, &own) == 0, stat(path, &named) == 0 else { return false }
    return (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino)
  }
}

// MARK: - Reading

extension EditedFolder {
  /// What identifies a state of the folder.
  package struct State: Hashable, Sendable {
    fileprivate let marks: FolderMarks
  }

  /// The state that the last call of `read` has found.
  package var state: State { State(marks: marks) }

  /// The files. Throws if they cannot be read, change at the moment, have changed within `settling`, or belong to a pull.
  /// A state that this program has left itself is `known`, and needs no time to settle.
  package func read(settling: Duration, known: State?) throws(Refusal) -> TenantFileSet {
    try checkOwnership()
    if let lock = gitLock { throw .busy("git changes the tenant's folder: \(lock) exists.") }
    let root = "/proc/self/fd/\(folder)"
    let files = RecordedFiles(FolderFiles(path: root))
    let result = Result { () throws(TenantError) in try TenantReader(files: files).readAvailable().whole() }
    let recorded = files.recorded
    guard recorded.marks.areCurrent(in: root) else { throw .busy("The tenant's folder changes at the moment.") }
    marks = recorded.marks
    // Of an editor that is in the middle of a file, too, which cannot be read then.
    let now = SystemClock().now
    if state != known, settling > .zero, marks.haveChanged(since: now.advanced(by: -settling.milliseconds), until: now)
    {
      throw .busy("The tenant's folder has just changed.")
    }
    do throws(TenantError) { _ = try result.get() } catch {
      throw .unsuitable("The tenant's folder cannot be read, so it is not changed: \(error.description). Repair it.")
    }
    return TenantFileSet(texts: recorded.texts)
  }

  private func checkOwnership() throws(Refusal) {
    guard faccessat(folder, FolderOwnership.pulled, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else {
      throw .unsuitable(
        "mambridge-tenant pull writes this folder and would take the change back. Change the tenant in Microsoft Graph, "
          + "or remove \(FolderOwnership.pulled) from the folder and pull no more.")
    }
  }

  /// The lock of the git repository that the folder is in; `nil` if there is none. What another user than the owner of its
  /// folder has put there is none.
  private var gitLock: String? {
    guard
      var above = realpath(path, nil).map({ resolved in
        defer { free(resolved) }
        return String(cString: resolved)
      })
    else { return nil }
    while true {
      let git = above + "/.git"
      var (status, own) = (stat(), stat())
      if lstat(git, &status) == 0, stat(above, &own) == 0, status.st_uid == own.st_uid {
        let lock = Self.gitFolder(git, of: above) + "/index.lock"
        return access(lock, F_OK) == 0 ? lock : nil
      }
      guard let slash = above.lastIndex(of: "/"), above != "/" else { return nil }
      above = slash == above.startIndex ? "/" : String(above[..<slash])
      if above == "/" { return nil }
    }
  }

  /// A worktree has a file that says where its folder is.
  private static func gitFolder(_ git: String, of folder: String) -> String {
    var status = stat()
    guard stat(git, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let bytes = try? FileContents.read(git, upTo: 1 << 16)
    else { return git }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first ?? ""
    let prefix = "gitdir: "
    guard line.hasPrefix(prefix) else { return git }
    let path = String(line.dropFirst(prefix.count))
    return path.hasPrefix("/") ? path : folder + "/" + path
  }
}

// MARK: - Writing

extension EditedFolder {
  /// One file of an edit; `nil` for one that is not there.
  private struct Step {
    let file: String
    let old: String?
    let new: String?

    var inverse: Step { Step(file: file, old: new, new: old) }
  }

  /// Writes what differs. Returns false if others have changed one of the files since they were read; then none is
  /// changed. Afterwards `state` is that of the written folder.
  package func write(_ new: TenantFileSet, over old: TenantFileSet) throws(Refusal) -> Bool {
    let steps = Self.steps(from: old.texts, to: new.texts)
    guard !steps.isEmpty else { return true }
    try markAsEdited()
    var done: [Step] = []
    for step in steps {
      let isDone: Bool
      do throws(Refusal) { isDone = try write(step) } catch {
        undo(done)
        throw error
      }
      guard isDone else {
        undo(done)
        return false
      }
      done.append(step)
    }
    let root = "/proc/self/fd/\(folder)"
    marks = marks.again(
      in: root, with: new.texts.keys.filter { old.texts[$0] == nil },
      without: old.texts.keys.filter { new.texts[$0] == nil })
    return true
  }

  /// What comes is there before anything goes, so that a kill in between leaves more policies rather than none. A file
  /// without objects stands in for one that goes: first the objects go, then the assignments of their file, and the file
  /// last, so that tenant.json never assigns a file that is not there.
  private static func steps(from old: [String: String], to new: [String: String]) -> [Step] {
    let tenant = MemberReader.file
    let empty = "[]\n"
    let gone = old.keys.filter { new[$0] == nil }.sorted()
    let changed = new.keys.filter { $0 != tenant && new[$0] != old[$0] }.sorted()
    let coming = changed.map { Step(file: $0, old: old[$0], new: new[$0]) }
    let emptied = gone.map { Step(file: $0, old: old[$0], new: empty) }
    let assigned = new[tenant] == old[tenant] ? [] : [Step(file: tenant, old: old[tenant], new: new[tenant])]
    return coming + emptied + assigned + gone.map { Step(file: $0, old: empty, new: nil) }
  }

  /// As far as nobody has changed the files meanwhile: then those are newer.
  private func undo(_ steps: [Step]) {
    for step in steps.reversed() { _ = try? write(step.inverse) }
  }

  private func write(_ step: Step) throws(Refusal) -> Bool {
    guard !step.file.hasPrefix("/"), !step.file.split(separator: "/").contains("..") else {
      throw .unsuitable("\(step.file) is not in the tenant's folder. Change the file itself.")
    }
    let parts = step.file.split(separator: "/").map(String.init)
    let name = parts.last ?? step.file
    guard parts.count <= 2, name.utf8.count <= Self.longestName else {
      throw .unsuitable("\(step.file) has a longer name than can be written. Move its objects to policies/.")
    }
    let subfolder = parts.count == 2 ? parts[0] : ""
    do throws(SystemError) {
      if !subfolder.isEmpty, step.old == nil { try ContestedFolder(folder).makeFolder(subfolder) }
      return try inSubfolder(subfolder) { (shared) throws(SystemError) in
        if !Self.usualFolders.contains(subfolder) { try shared.finish() }
        return switch (step.old, step.new) {
        case (nil, let new?): try shared.add(name, Array(new.utf8), like: nil)
        case (let old?, nil): try shared.remove(name) { $0 == Self.head(of: $0) + Array(old.utf8) }
        case (let old?, let new?): try Self.replace(name, old, new, in: shared)
        case (nil, nil): true
        }
      }
    } catch {
      throw refusal(of: error, step.file)
    }
  }

  /// The byte order mark of some exports, if there is one.
  private static func head(of bytes: [UInt8]) -> [UInt8] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return bytes.starts(with: mark) ? mark : []
  }

  private static func replace(
    _ name: String, _ old: String, _ new: String, in folder: ContestedFolder
  ) throws(SystemError) -> Bool {
    let head = head(of: try folder.read(name) ?? [])
    return try folder.replace(name, with: head + Array(new.utf8)) { $0 == head + Array(old.utf8) }
  }

  /// With what a draft's name adds to it, less than 255.
  private static let longestName = 120

  private func refusal(of error: SystemError, _ file: String) -> Refusal {
    switch error.number {
    case ELOOP, ENOTDIR:
      .unsuitable("\(file) is a symbolic link, or in one, and is not replaced. Change the file that it leads to.")
    case EINVAL, ENOSYS, EOPNOTSUPP:
      .unsuitable(
        "The file system of the tenant's folder cannot exchange two files in one step (renameat2), so \(file) cannot be "
          + "written safely. Put the folder on another one.")
    default: .unsuitable("Cannot write \(file): \(error.text).")
    }
  }

  private func markAsEdited() throws(Refusal) {
    do throws(SystemError) {
      _ = try ContestedFolder(folder).add(FolderOwnership.edited, [], like: MemberReader.file)
    } catch {
      throw refusal(of: error, FolderOwnership.edited)
    }
  }

  private func inFolder(_ name: String, _ body: (ContestedFolder) throws(SystemError) -> Void) throws(Refusal) {
    do throws(SystemError) { try inSubfolder(name, body) } catch {
      guard [ENOENT, ENOTDIR, ELOOP].contains(error.number) else {
        throw Self.cannot("use \(path)/\(name)", error)
      }
    }
  }

  private func inSubfolder<Result>(
    _ name: String, _ body: (ContestedFolder) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    guard !name.isEmpty else { return try body(ContestedFolder(folder)) }
    let descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    defer { close(descriptor) }
    return try body(ContestedFolder(descriptor))
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
