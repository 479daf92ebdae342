import MAM
import Model
import Support
import Vault

/// The open files of one connection, by number.
final class FileHandles: Sendable {
  private struct State: Sendable {
    var handles: [Int64: FileHandle] = [:]
    var newest: Int64 = 0
    var isClosed = false
  }

  /// Each open file takes a descriptor, of which a process has about a thousand.
  static let maximum = 256
  private let state = Lock(State())

  /// Throws if no more files may be open. Call before opening a file.
  func checkRoom(_ path: String) throws(MAMError) {
    guard state.withLock({ $0.handles.count }) < Self.maximum else { throw .tooManyHandles(path) }
    if let number = DescriptorReserve.shortage { throw .file(path, number) }
  }

  /// Adds an open file. Throws if the connection has ended meanwhile, because nobody could use the file.
  func add(_ handle: FileHandle) throws(MAMError) -> FileHandleNumber {
    let number = state.withLock { state -> FileHandleNumber? in
      guard !state.isClosed, let number = FileHandleNumber(state.newest + 1) else { return nil }
      state.newest += 1
      state.handles[state.newest] = handle
      return number
    }
    guard let number else {
      throw MAMError(
        .cancelled, "the connection ended while the file was being opened; the file was closed again", path: handle.path
      )
    }
    return number
  }

  func handle(_ number: FileHandleNumber) throws(MAMError) -> FileHandle {
    guard let handle = state.withLock({ $0.handles[number.value] }) else { throw .noHandle(number) }
    return handle
  }

  func remove(_ number: FileHandleNumber) throws(MAMError) -> FileHandle {
    guard let handle = state.withLock({ $0.handles.removeValue(forKey: number.value) }) else {
      throw .noHandle(number)
    }
    return handle
  }

  /// Closes all files, away from the reading thread because closing may use the disk.
  func closeAll() {
    let handles = state.withLock { state in
      state.isClosed = true
      defer { state.handles = [:] }
      return Array(state.handles.values)
    }
    guard !handles.isEmpty else { return }
    Task(executorPreference: BlockingExecutor.shared) {
      for handle in handles { handle.close() }
    }
  }
}

extension MAMError {
  fileprivate static func noHandle(_ number: FileHandleNumber) -> MAMError {
    MAMError(
      .noFileHandle, "this connection has no open file with handle \(number.value)",
      hint: "Use a handle that file.open or file.create returned on this connection, and that is not closed yet")
  }

  fileprivate static func tooManyHandles(_ path: String) -> MAMError {
    MAMError(
      .noFileHandle, "this connection already has \(FileHandles.maximum) open files, the maximum",
      hint: "Close handles that you no longer need with file.close", path: path)
  }
}
