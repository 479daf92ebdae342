/// What of the header changes: the only commit point of a file.
struct FileRecord: Equatable, Sendable {
  static let plainSize = 40
  /// Of the plain text, in bytes.
  var length: UInt64
  /// At least as many seals as were made under the file's key.
  var writeCount: UInt64

  init(length: UInt64, writeCount: UInt64) {
    self.length = length
    self.writeCount = writeCount
  }

  /// Nil for what `bytes` does not write.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = BigEndianReader(bytes)
    guard let length = reader.integer(UInt64.self), let writeCount = reader.integer(UInt64.self),
      length <= FileLayout.maximumLength, bytes[reader.offset...].allSatisfy({ $0 == 0 })
    else { return nil }
    self.init(length: length, writeCount: writeCount)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: length)
    bytes.append(bigEndian: writeCount)
    return bytes + [UInt8](repeating: 0, count: Self.plainSize - bytes.count)
  }
}
