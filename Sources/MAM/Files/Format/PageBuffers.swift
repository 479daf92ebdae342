import Model
import Support

/// Room for a run of pages that are on their way to or from a disk. The threads that work on files share a few: however
/// many files are open, and however large they are, the memory stays the same.
final class PageBuffers: Sendable {
  static let shared = PageBuffers()
  /// Pages of one run: 256 KiB.
  static let runLength = 64
  /// As many as there are threads for work that blocks; what is needed beyond is given back.
  private static let kept = 4
  private let free = Lock<[PageBuffer]>([])

  /// Memory for `runLength` pages, with anything in it.
  func withRun<Result>(
    _ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    let buffer = free.withLock { $0.popLast() } ?? PageBuffer()
    defer {
      free.withLock { free in
        if free.count < Self.kept { free.append(buffer) }
      }
    }
    return try body(buffer.bytes)
  }
}

private final class PageBuffer: @unchecked Sendable {  // taken from the pool by one thread at a time
  let bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: PageBuffers.runLength * FileLayout.pageSize, alignment: FileLayout.pageSize)

  deinit { bytes.deallocate() }
}
