import Model
import Support

/// Neighbouring pages, as many as fit into a buffer, and which of their plain bytes are meant.
struct PageRun {
  let first: UInt64
  let pageCount: Int
  /// Of the plain bytes, within the first page.
  let start: Int
  /// Of the plain bytes.
  let count: Int

  /// As much of `count` plain bytes from `offset` on as one run holds. It ends where a multiple of a run's size ends in
  /// the file: the system's cache takes what is aligned in large pieces.
  init(at offset: UInt64, count: UInt64) {
    let size = FileLayout.dataSize
    first = offset / UInt64(size)
    start = Int(offset % UInt64(size))
    let room = (PageBuffers.runLength - Int((first + 1) % UInt64(PageBuffers.runLength))) * size - start
    self.count = Int(min(UInt64(room), count))
    pageCount = (start + self.count + size - 1) / size
  }

  /// Those of a page, counted within the run.
  func plainRange(_ page: Int) -> Range<Int> {
    let size = FileLayout.dataSize
    return (page == 0 ? start : 0)..<min(size, start + count - page * size)
  }

  /// Where the plain bytes of a page stand among those of the run.
  func place(_ page: Int) -> Int { page == 0 ? 0 : page * FileLayout.dataSize - start }

  func page(_ index: Int, in run: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    let offset = index * FileLayout.pageSize
    return UnsafeMutableRawBufferPointer(rebasing: run[offset..<offset + FileLayout.pageSize])
  }

  func bytes(in run: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: run[..<(pageCount * FileLayout.pageSize)])
  }
}

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
