import Glibc
import Model
import Support

/// The two files of the log: the current one and the previous one. Several processes may write to them.
final class LogFolder: Sendable {
  let path: String
  let currentPath: String
  let previousPath: String
  private let maximumSize: Int
  private let isReadOnly: Bool
  private let current = Lock<LogFile?>(nil)

  init(_ path: String, maximumSize: Int, isReadOnly: Bool = false) {
    self.path = path
    currentPath = path + "/" + Self.currentName
    previousPath = path + "/intune.1.log"
    self.maximumSize = maximumSize
    self.isReadOnly = isReadOnly
  }

  static let currentName = "intune.log"

  /// Returns 0, or the error number that says why the line is not in the log. A read-only log drops the line.
  func append(_ line: [UInt8]) -> Int32 {
    if isReadOnly { return 0 }
    var status = FileStatus(path: currentPath)
    if let found = status, found.size > 0, found.size + line.count > maximumSize {
      rotate(found)
      status = FileStatus(path: currentPath)
    }
    guard let file = file(matching: status) else { return errno }
    return file.append(line)
  }

  /// The open file, or the file that another process has put in its place.
  private func file(matching status: FileStatus?) -> LogFile? {
    if let open = current.withLock({ $0 }), open.status.isSameFile(as: status) { return open }
    guard let opened = LogFile(appendingTo: currentPath) ?? createFolderAndFile() else { return nil }
    current.withLock { $0 = opened }
    return opened
  }

  private func createFolderAndFile() -> LogFile? {
    guard errno == ENOENT else { return nil }
    // Create only this folder: a state folder that was removed comes back only if its owner restores it.
    mkdir(path, 0o700)
    return LogFile(appendingTo: currentPath)
  }

  /// The process that locks the current file moves it away. All others go on, and find the new file with the next line.
  /// The lock needs a descriptor of its own, because a lock on the shared descriptor would not exclude other threads.
  func rotate(_ full: FileStatus) {
    guard let file = LogFile(reading: currentPath), Flock.take(file.descriptor) == .taken else { return }
    // Another process may have moved it before this one has the lock.
    guard full.isSameFile(as: FileStatus(path: currentPath)) else { return }
    rename(currentPath, previousPath)
  }

  /// The paths of existing files, the newer file first.
  var existingPaths: [String] {
    [currentPath, previousPath].filter { FileStatus(path: $0) != nil }
  }

  /// Opens both files for reading, the older one first. Opens them again if they were rotated in between.
  func openForReading() throws(MAMError) -> [LogFile] {
    var files: [LogFile] = []
    for _ in 0..<8 {
      let previous = try open(previousPath)
      let current = try open(currentPath)
      files = [previous, current].compactMap { $0 }
      let isSettled = previous.map { $0.status.isSameFile(as: FileStatus(path: previousPath)) }
      if isSettled ?? (FileStatus(path: previousPath) == nil) { break }
    }
    return files
  }

  private func open(_ path: String) throws(MAMError) -> LogFile? {
    if let file = LogFile(reading: path) { return file }
    guard errno != ENOENT && errno != ENOTDIR else { return nil }
    throw MAMError(
      .storeUnavailable, "cannot read the diagnostics log: \(SystemError.current.text)",
      hint: "Make the file readable for the user who runs mambridge", path: path)
  }
}

extension StateFolder {
  /// The file that new lines of the diagnostics log are appended to.
  package var currentLog: String { logs + "/" + LogFolder.currentName }
}

/// Counts lines that could not be written until writing works again.
final class LogOutage: Sendable {
  struct Loss: Sendable {
    var count: Int
    var since: Timestamp
    var code: Int32
  }

  private struct State {
    var loss: Loss?
    var wasReported = false
  }

  private let state = Lock(State())

  /// Takes the loss so far. If the caller cannot log it either, it puts the loss back with `add`.
  func take() -> Loss? {
    state.withLock { state in
      defer { state.loss = nil }
      return state.loss
    }
  }

  /// Returns true for the first loss since the process started.
  func add(_ loss: Loss) -> Bool {
    state.withLock { state in
      state.loss = Loss(
        count: loss.count + (state.loss?.count ?? 0), since: min(loss.since, state.loss?.since ?? loss.since),
        code: loss.code)
      defer { state.wasReported = true }
      return !state.wasReported
    }
  }
}
