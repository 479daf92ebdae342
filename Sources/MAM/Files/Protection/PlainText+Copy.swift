import Model

extension PlainText {
  /// Puts all of `source` into this one, which is empty, and closes it. Stops when nobody waits any more.
  mutating func copy(from source: inout any PlainText, _ progress: FileProgress) throws(MAMError) {
    var (piece, offset) = (try next(of: &source, at: 0, progress), UInt64(0))
    while piece > 0 {
      offset += UInt64(piece)
      piece = try next(of: &source, at: offset, progress)
    }
    try release()
  }

  /// How many bytes there were.
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
