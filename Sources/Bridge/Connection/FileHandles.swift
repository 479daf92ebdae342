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

  /// A descriptor each; the process has a thousand or so.
  static let maximum = 256
  private let state = Lock(State())

  /// Throws when there is no room, before anything is opened.
  func checkRoom(_ path: String) throws(MAMError) {
    guard state.withLock({ $0.handles.count }) < Self.maximum else { throw .tooManyHandles(path) }
  }

  /// Of a connection that has ended meanwhile nobody can use it.
  func add(_ handle: FileHandle) throws(MAMError) -> FileHandleNumber {
    let number = state.withLock { state -> FileHandleNumber? in
      guard !state.isClosed, let number = FileHandleNumber(state.newest + 1) else { return nil }
      state.newest += 1
      state.handles[state.newest] = handle
      return number
    }
    guard let number else {
      throw MAMError(.cancelled, "the connection has ended; the file is closed again", path: handle.path)
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

  /// Closes them off the reading thread, for that may use the disk.
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
      .noFileHandle, "this connection has no open file \(number.value)",
      hint: "Take the handle that file.open or file.create gave on this connection, and not after file.close")
  }

  fileprivate static func tooManyHandles(_ path: String) -> MAMError {
    MAMError(
      .noFileHandle, "the connection has \(FileHandles.maximum) open files, which is the most there may be",
      hint: "Close handles that are not needed: file.close", path: path)
  }
}
