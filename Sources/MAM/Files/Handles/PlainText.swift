import Model

/// The plain text of an open file, however it lies on the disk. Changes are for who holds the file's lock.
protocol PlainText: Sendable {
  /// Nil for a plain file.
  var encryption: FileHeader? { get }
  /// Seals made under its key; 0 for a plain file.
  var sealCount: UInt64 { get }
  /// Learns what others have changed; belongs before the calls below, those that change under the same lock. Fails as
  /// damaged where it is no longer of this kind.
  mutating func refresh() throws(MAMError)
  func currentLength() throws(MAMError) -> UInt64
  mutating func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MAMError)
  mutating func truncate(to length: UInt64) throws(MAMError)
  /// Whether seals were counted ahead that `release` gives back.
  var hasReserve: Bool { get }
  /// What belongs to closing.
  mutating func release() throws(MAMError)
}

extension EncryptedFile: PlainText {
  var encryption: FileHeader? { header }
  var sealCount: UInt64 { record.writeCount }
  var hasReserve: Bool { reserved > 0 }
  func currentLength() -> UInt64 { length }
}
