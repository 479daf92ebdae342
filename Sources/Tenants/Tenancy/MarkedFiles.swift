import Glibc
import Support

/// What changes with each change of a file or a folder.
struct FileMark: Hashable, Sendable {
  let device: UInt64
  private let inode: UInt64
  private let size: Int
  private let modified: Moment
  private let changed: Moment

  private struct Moment: Hashable, Sendable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) { (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec) }
  }

  /// Of a file in an open folder, or of the folder if the name is empty; `nil` if there is none. Links are followed.
  init?(_ name: String, in folder: CInt) {
    var status = stat()
    guard fstatat(folder, name.isEmpty ? "." : name, &status, 0) == 0 else { return nil }
    (device, inode, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int(status.st_size))
    (modified, changed) = (Moment(status.st_mtim), Moment(status.st_ctim))
  }

  /// Whether the last change was in a time, in milliseconds since 1970. A change of the time of the last modification is a
  /// change, too.
  func hasChanged(in times: ClosedRange<Int64>) -> Bool {
    times.contains(Int64(changed.seconds) * 1000 + Int64(changed.nanoseconds) / 1_000_000)
  }

  /// Whether the last change was before a time, in seconds of the wall clock. A later change surely has another mark,
  /// although the clock of a file system may stand still for some milliseconds.
  func isOlder(than seconds: Int) -> Bool { modified.seconds < seconds && changed.seconds < seconds }
}

/// The marks of a folder and of all that was read in it, by their names; `nil` for what is not there.
struct FolderMarks: Hashable, Sendable {
  private var marks: [String: FileMark?] = [:]

  var isEmpty: Bool { marks.isEmpty }

  mutating func add(_ name: String, in folder: String) {
    marks[name] = .some(FileMark(FolderFiles.path(of: name, in: folder), in: AT_FDCWD))
  }

  /// The marks now of the same names, of new ones, and without some.
  func again(in folder: String, with new: [String], without gone: [String]) -> FolderMarks {
    var again = FolderMarks()
    for name in Set(marks.keys).union(new).subtracting(gone) { again.add(name, in: folder) }
    return again
  }

  /// Whether something has changed between two times of the wall clock.
  func haveChanged(since start: Timestamp, until end: Timestamp) -> Bool {
    marks.values.contains { $0?.hasChanged(in: start.milliseconds...max(start, end).milliseconds) ?? false }
  }

  /// Whether nothing has changed since. False if there are no marks, or the folder cannot be opened.
  func areCurrent(in folder: String) -> Bool {
    guard !marks.isEmpty else { return false }
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return marks.allSatisfy { name, mark in FileMark(name, in: descriptor) == mark }
  }
}

extension FolderMarks {
  /// How long nothing must have changed before marks are trusted, in seconds.
  private static let age = 2

  /// Whether equal marks mean equal contents: the last change was more than 2 s before `now`, in seconds of the wall
  /// clock, and all is on file systems of this machine, which note each change at once.
  func areReliable(in folder: String, at now: Int) -> Bool {
    guard marks.values.allSatisfy({ $0?.isOlder(than: now - Self.age) ?? true }) else { return false }
    var devices: Set<UInt64> = []
    return marks.allSatisfy { name, mark in
      guard let mark, devices.insert(mark.device).inserted else { return true }
      return FileSystem(of: FolderFiles.path(of: name, in: folder))?.notesChangesAtOnce ?? false
    }
  }
}

/// Files of a folder, of which the marks are kept.
final class MarkedFiles: TenantFolder {
  private let files: FolderFiles
  private let state: Lock<FolderMarks>

  init(_ files: FolderFiles) {
    self.files = files
    var marks = FolderMarks()
    marks.add("", in: files.path)
    state = Lock(marks)
  }

  var marks: FolderMarks { state.withLock { $0 } }

  func list(_ folder: String) throws(TenantError) -> [String] {
    mark(folder)
    return try files.list(folder)
  }

  func read(_ name: String) throws(TenantError) -> [UInt8]? {
    mark(name)
    return try files.read(name)
  }

  func has(_ folder: String) -> Bool { files.has(folder) }

  func names() -> [String] { files.names() }

  /// Called before the file is read, so that a change in between is seen at the next look.
  private func mark(_ name: String) {
    state.withLock { $0.add(name, in: files.path) }
  }
}
