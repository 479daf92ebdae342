import Cryptography
import Glibc
import Model
import Support

/// A host's handle of a file: plain text offsets, whether the file is encrypted or not.
///
/// Any thread may call; calls of one handle run one after the other. Blocks for the disk.
package final class FileHandle: Sendable {
  private struct State: Sendable {
    /// Nil once closed.
    var file: OpenFile?
    var position: UInt64 = 0
  }

  package let path: String
  private let access: FileAccess
  /// Held while the disk is used, unlike other locks: no reading thread of a connection takes it.
  private let state: Lock<State>

  /// Opens a file; one that this makes or empties becomes that of `owner`. `mode` is less what the process masks.
  package init(
    _ path: AbsolutePath, _ access: FileAccess, mode: UInt32, for owner: NewOwner, _ environment: FileEnvironment
  ) throws(MAMError) {
    self.path = path.text
    self.access = access
    state = Lock(State(file: try OpenFile(path.text, access, mode: mode, for: owner, environment)))
  }

  deinit { close() }

  /// From the position on, which moves behind what was read. Fewer bytes than asked for at the end of the file only.
  package func read(_ count: Int) throws(MAMError) -> [UInt8] {
    try using(access.canRead) { file, position throws(MAMError) in
      let bytes = try file.read(count, at: position)
      position += UInt64(bytes.count)
      return bytes
    }
  }

  /// How many bytes there were from the offset on; the position stays.
  package func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    try using(access.canRead) { file, _ throws(MAMError) in try file.read(into: target, at: offset) }
  }

  /// From the offset on; the position stays.
  package func read(_ count: Int, at offset: UInt64) throws(MAMError) -> [UInt8] {
    try using(access.canRead) { file, _ throws(MAMError) in try file.read(count, at: offset) }
  }

  /// At the position, or with the flag `append` at the end; the position moves behind it.
  package func write(_ bytes: [UInt8]) throws(MAMError) {
    try using(access.canWrite) { file, position throws(MAMError) -> Void in
      let start = try file.write(bytes, at: access.appends ? nil : position)
      position = start + UInt64(bytes.count)
    }
  }

  /// At the offset, also with the flag `append`.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(MAMError) {
    try using(access.canWrite) { file, _ throws(MAMError) -> Void in _ = try file.write(bytes, at: offset) }
  }

  /// May lie behind the end: a write there fills the gap with zeros.
  package func seek(to offset: UInt64) throws(MAMError) {
    try using { _, position throws(MAMError) -> Void in position = offset }
  }

  package func tell() throws(MAMError) -> UInt64 {
    try using { _, position throws(MAMError) in position }
  }

  /// Cuts the file off, or lengthens it with zeros. The position stays.
  package func truncate(to length: UInt64) throws(MAMError) {
    try using(access.canWrite) { file, _ throws(MAMError) -> Void in try file.truncate(to: length) }
  }

  /// Of the plain text.
  package func size() throws(MAMError) -> UInt64 {
    try using { file, _ throws(MAMError) in try file.length() }
  }

  /// What was written is on the disk when this returns; without `dataOnly` the file's times too.
  package func sync(dataOnly: Bool) throws(MAMError) {
    try using { file, _ throws(MAMError) -> Void in try file.sync(dataOnly: dataOnly) }
  }

  package func isEncrypted() throws(MAMError) -> Bool {
    try using { file, _ throws(MAMError) in file.isEncrypted }
  }

  /// Nil for a file that belongs to nobody.
  package func owner() throws(MAMError) -> DataOwner? {
    try using { file, _ throws(MAMError) in try file.owner() }
  }

  /// Does not wait for the disk to have everything. Fine when it is closed already.
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
    MAMError(.noFileHandle, "the handle is closed", hint: "Open the file again", path: path)
  }
}
