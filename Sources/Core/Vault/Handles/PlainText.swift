import Glibc
import Model

/// The plain text of an open file, whatever its form on the disk. Changes require the file's lock.
protocol PlainText: Sendable {
  /// `nil` for a plain file.
  var encryption: FileHeader? { get }
  /// The number of seals made under the file's key; 0 for a plain file.
  var sealCount: UInt64 { get }
  /// Learns what other processes changed. Call it before the methods below, and under the same lock before those that
  /// change the file. Throws `fileDamaged` if the file is no longer of this kind.
  mutating func refresh() throws(MAMError)
  func currentLength() throws(MAMError) -> UInt64
  mutating func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MAMError)
  mutating func truncate(to length: UInt64) throws(MAMError)
  /// Whether `release` has seals to return that were counted in advance.
  var hasReserve: Bool { get }
  /// Called on close.
  mutating func release() throws(MAMError)
}

extension EncryptedFile: PlainText {
  var encryption: FileHeader? { header }
  var sealCount: UInt64 { record.writeCount }
  var hasReserve: Bool { reserved > 0 }
  func currentLength() -> UInt64 { length }
}

/// A file that is not encrypted.
struct PlainFile: PlainText {
  /// The greatest offset that a host can name; file systems may allow more, or less.
  static let maximumLength: UInt64 = 1 << 53

  let file: DiskFile
  var encryption: FileHeader? { nil }
  var sealCount: UInt64 { 0 }
  var hasReserve: Bool { false }

  func refresh() {}

  func currentLength() throws(MAMError) -> UInt64 { UInt64(max(0, try file.size())) }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    guard let start = Int(exactly: offset) else { return 0 }
    return try file.read(into: target, at: start)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MAMError) {
    guard offset <= Self.maximumLength, UInt64(bytes.count) <= Self.maximumLength - offset else {
      throw .tooLarge(file.path, limit: Self.maximumLength)
    }
    try file.write(bytes, at: Int(offset))
  }

  func truncate(to length: UInt64) throws(MAMError) {
    guard length <= Self.maximumLength else { throw .tooLarge(file.path, limit: Self.maximumLength) }
    try file.truncate(to: Int(length))
  }

  func release() {}
}

extension PlainText {
  /// Copies all of `source` into this file, which must be empty, and closes this file. Stops if the call is cancelled.
  mutating func copy(from source: inout any PlainText, _ progress: FileProgress) throws(MAMError) {
    var (piece, offset) = (try next(of: &source, at: 0, progress), UInt64(0))
    while piece > 0 {
      offset += UInt64(piece)
      piece = try next(of: &source, at: offset, progress)
    }
    try release()
  }

  /// Returns the number of bytes.
  private mutating func next(
    of source: inout any PlainText, at offset: UInt64, _ progress: FileProgress
  ) throws(MAMError) -> Int {
    let count = try PageBuffers.shared.withRun { run throws(MAMError) -> Int in
      let piece = PageRun(at: offset, count: UInt64(run.count)).count
      let room = UnsafeMutableRawBufferPointer(rebasing: run[..<piece])
      let count = try source.read(into: room, at: offset)
      try write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]), at: offset)
      return count
    }
    try progress.advance(by: count)
    return count
  }
}
