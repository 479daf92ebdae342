import Cryptography
import Glibc
import Model
import Support

/// A host's handle of a file. Offsets are those of the plain text, whether the file is encrypted or not.
///
/// Safe to call from any thread; calls on one handle run one after another. Waits for the disk.
package final class FileHandle: Sendable {
  private struct State: Sendable {
    /// `nil` once closed.
    var file: OpenFile?
    var position: UInt64 = 0
  }

  package let path: String
  private let access: FileAccess
  /// Unlike other locks, held during disk access; no reading thread of a connection takes it.
  private let state: Lock<State>

  /// Opens a file. A file that this creates or empties goes to `owner`. The process's umask applies to `mode`.
  package init(
    _ path: AbsolutePath, _ access: FileAccess, mode: UInt32, for owner: NewOwner, _ environment: FileEnvironment
  ) throws(MAMError) {
    self.path = path.text
    self.access = access
    state = Lock(State(file: try OpenFile(path.text, access, mode: mode, for: owner, environment)))
  }

  deinit { close() }

  /// Reads from the position, and moves it. Returns fewer bytes only at the end of the file.
  package func read(_ count: Int) throws(MAMError) -> [UInt8] {
    try using(access.canRead) { file, position throws(MAMError) in
      let bytes = try file.read(count, at: position)
      position += UInt64(bytes.count)
      return bytes
    }
  }

  /// Returns the number of bytes read from the offset on. Does not move the position.
  package func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    try using(access.canRead) { file, _ throws(MAMError) in try file.read(into: target, at: offset) }
  }

  /// Reads from the offset. Does not move the position.
  package func read(_ count: Int, at offset: UInt64) throws(MAMError) -> [UInt8] {
    try using(access.canRead) { file, _ throws(MAMError) in try file.read(count, at: offset) }
  }

  /// Writes at the position, or at the end with the flag `append`, and moves the position to the end of the bytes.
  package func write(_ bytes: [UInt8]) throws(MAMError) {
    try using(access.canWrite) { file, position throws(MAMError) -> Void in
      let start = try file.write(bytes, at: access.appends ? nil : position)
      position = start + UInt64(bytes.count)
    }
  }

  /// Writes at the offset, even with the flag `append`.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(MAMError) {
    try using(access.canWrite) { file, _ throws(MAMError) -> Void in _ = try file.write(bytes, at: offset) }
  }

  /// May be after the end: a write there fills the gap with zeros.
  package func seek(to offset: UInt64) throws(MAMError) {
    try using { _, position throws(MAMError) -> Void in position = offset }
  }

  package func tell() throws(MAMError) -> UInt64 {
    try using { _, position throws(MAMError) in position }
  }

  /// Cuts the file off, or extends it with zeros. Does not move the position.
  package func truncate(to length: UInt64) throws(MAMError) {
    try using(access.canWrite) { file, _ throws(MAMError) -> Void in try file.truncate(to: length) }
  }

  /// The size of the plain text.
  package func size() throws(MAMError) -> UInt64 {
    try using { file, _ throws(MAMError) in try file.length() }
  }

  /// Returns once everything written is on the disk. Without `dataOnly`, also the file's times.
  package func sync(dataOnly: Bool) throws(MAMError) {
    try using { file, _ throws(MAMError) -> Void in try file.sync(dataOnly: dataOnly) }
  }

  package func isEncrypted() throws(MAMError) -> Bool {
    try using { file, _ throws(MAMError) in file.isEncrypted }
  }

  /// `nil` for a file without an owner.
  package func owner() throws(MAMError) -> DataOwner? {
    try using { file, _ throws(MAMError) in try file.owner() }
  }

  /// Does not wait until everything is on the disk. Does nothing if the handle is closed already.
  package func close() {
    state.withLock { state in
      state.file?.close()
      state.file = nil
    }
  }

  private func using<Result: Sendable>(
    _ isAllowed: Bool = true, _ body: (inout OpenFile, inout UInt64) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    guard isAllowed else { throw .file(path, EBADF) }
    return try state.withLock { state throws(MAMError) in
      guard var file = state.file.take() else { throw MAMError.closedHandle(path) }
      defer { state.file = file }
      return try body(&file, &state.position)
    }
  }
}

extension OpenFile {
  fileprivate mutating func read(_ count: Int, at offset: UInt64) throws(MAMError) -> [UInt8] {
    var failure: MAMError?
    let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { target, done in
      do throws(MAMError) {
        let target = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[..<max(0, count)])
        done = try read(into: target, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  fileprivate mutating func write(_ bytes: [UInt8], at offset: UInt64?) throws(MAMError) -> UInt64 {
    try bytes.withRawBytes { bytes throws(MAMError) in try write(bytes, at: offset) }
  }
}

extension MAMError {
  static func closedHandle(_ path: String) -> MAMError {
    MAMError(.noFileHandle, "the file handle is closed", hint: "Open the file again", path: path)
  }
}
