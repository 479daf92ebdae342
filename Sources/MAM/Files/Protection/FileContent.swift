/// The plain text of a file, encrypted on the disk or not.
enum FileContent {
  case plain(DiskFile)
  case encrypted(EncryptedFile)

  var file: DiskFile {
    switch self {
    case .plain(let file): file
    case .encrypted(let encrypted): encrypted.file
    }
  }

  func length() throws(MAMError) -> UInt64 {
    switch self {
    case .plain(let file): UInt64(try file.size())
    case .encrypted(let encrypted): encrypted.length
    }
  }

  /// How many bytes there were; fewer than asked for at the end only.
  mutating func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    switch self {
    case .plain(let file): return try file.read(into: target, at: Int(offset))
    case .encrypted(var encrypted):
      let count = try encrypted.read(into: target, at: offset)
      self = .encrypted(encrypted)
      return count
    }
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MAMError) {
    switch self {
    case .plain(let file): try file.write(bytes, at: Int(offset))
    case .encrypted(var encrypted):
      try encrypted.write(bytes, at: offset)
      self = .encrypted(encrypted)
    }
  }

  /// To be called once, after the last write.
  mutating func finish() throws(MAMError) {
    guard case .encrypted(var encrypted) = self else { return }
    try encrypted.release()
    self = .encrypted(encrypted)
  }

  /// Puts all of `source` into this empty one. Stops when nobody waits any more.
  mutating func copy(from source: consuming FileContent, _ progress: FileProgress) throws(MAMError) {
    var (rest, target, offset) = (source, self, UInt64(0))
    try PageBuffers.shared.withRun { run throws(MAMError) in
      let piece = UnsafeMutableRawBufferPointer(rebasing: run[..<(PageBuffers.runLength * FileLayout.dataSize)])
      while true {
        let count = try rest.read(into: piece, at: offset)
        guard count > 0 else { return }
        try target.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<count]), at: offset)
        offset += UInt64(count)
        try progress.advance(by: count)
      }
    }
    try target.finish()
    self = target
  }
}
