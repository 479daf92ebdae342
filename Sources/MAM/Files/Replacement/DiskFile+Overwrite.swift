import Model

extension DiskFile {
  /// Zeros over the whole content where it lies, or over its beginning. Best effort: a file system may write them
  /// elsewhere.
  func overwrite(upTo limit: Int = .max) throws(MAMError) {
    let size = min(try size(), limit)
    try PageBuffers.shared.withRun { zeros throws(MAMError) in
      zeros.initializeMemory(as: UInt8.self, repeating: 0)
      var done = 0
      while done < size {
        let piece = zeros[..<min(size - done, zeros.count)]
        try write(UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: piece)), at: done)
        done += piece.count
      }
    }
    try sync(dataOnly: true)
  }
}
