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

extension UnsafeMutableRawBufferPointer {
  func clear(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    UnsafeMutableRawBufferPointer(rebasing: self[range]).initializeMemory(as: UInt8.self, repeating: 0)
  }
}
