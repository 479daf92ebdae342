import Model
import Support

/// A range of plain bytes in adjacent pages, as many as fit into a buffer.
struct PageRun {
  let first: UInt64
  let pageCount: Int
  /// The offset of the plain bytes in the first page.
  let start: Int
  /// The number of plain bytes.
  let count: Int

  /// Takes as many of the `count` plain bytes from `offset` on as fit. Ends at a multiple of the run size in the file,
  /// because the system's cache reads aligned data in large pieces.
  init(at offset: UInt64, count: UInt64) {
    let size = FileLayout.dataSize
    first = offset / UInt64(size)
    start = Int(offset % UInt64(size))
    let room = (PageBuffers.runLength - Int((first + 1) % UInt64(PageBuffers.runLength))) * size - start
    self.count = Int(min(UInt64(room), count))
    pageCount = (start + self.count + size - 1) / size
  }

  /// The range of plain bytes in a page, which is counted within the run.
  func plainRange(_ page: Int) -> Range<Int> {
    let size = FileLayout.dataSize
    return (page == 0 ? start : 0)..<min(size, start + count - page * size)
  }

  /// The offset of a page's plain bytes among those of the run.
  func place(_ page: Int) -> Int { page == 0 ? 0 : page * FileLayout.dataSize - start }

  func page(_ index: Int, in run: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    let offset = index * FileLayout.pageSize
    return UnsafeMutableRawBufferPointer(rebasing: run[offset..<offset + FileLayout.pageSize])
  }

  func bytes(in run: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: run[..<(pageCount * FileLayout.pageSize)])
  }
}

/// Buffers for pages on their way to or from the disk. The threads that work on files share a few, so memory does not
/// grow with the number or the size of open files.
final class PageBuffers: Sendable {
  static let shared = PageBuffers()
  /// The pages in one run: 256 KiB.
  static let runLength = 64
  /// One for each thread for blocking work; any others are freed.
  private static let kept = 4
  private let free = Lock<[PageBuffer]>([])

  /// Provides uninitialized memory for `runLength` pages.
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
