import Cryptography
import Glibc
import Model

extension EncryptedFile {
  /// How many plain bytes there were from `offset` on; fewer than asked for at the end only.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    guard offset < record.length else { return 0 }
    let count = min(UInt64(target.count), record.length - offset)
    return try PageBuffers.shared.withRun { buffer throws(MAMError) in
      var done = 0
      while done < count {
        let run = PageRun(at: offset + UInt64(done), count: count - UInt64(done))
        try read(run, buffer, into: UnsafeMutableRawBufferPointer(rebasing: target[done...]))
        done += run.count
      }
      return done
    }
  }

  private func read(
    _ run: PageRun, _ buffer: UnsafeMutableRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) throws(MAMError) {
    try load(run.bytes(in: buffer), from: run.first)
    for index in 0..<run.pageCount {
      let (page, number, range) = (run.page(index, in: buffer), run.first + UInt64(index), run.plainRange(index))
      let part = UnsafeMutableRawBufferPointer(rebasing: target[run.place(index)...].prefix(range.count))
      if range.count == FileLayout.dataSize {
        try open(page, number, into: part)
      } else {
        part.copyMemory(from: UnsafeRawBufferPointer(rebasing: try open(page, number).data[range]))
      }
    }
  }

  /// Sealed pages from the disk; refuses where it has fewer.
  private func load(_ pages: UnsafeMutableRawBufferPointer, from first: UInt64) throws(MAMError) {
    let count = try file.read(into: pages, at: FileLayout.offset(ofPage: first))
    guard count == pages.count else {
      let missing = first + UInt64(count / FileLayout.pageSize)
      let start = FileLayout.range(ofPage: missing, length: record.length).lowerBound
      throw .truncatedFile(file.path, missing, start..<record.length)
    }
  }

  private func open(
    _ page: UnsafeMutableRawBufferPointer, _ number: UInt64, into data: UnsafeMutableRawBufferPointer
  ) throws(MAMError) {
    let isWhole = try file.encrypting { () throws(CryptographyError) in
      try cipher.open(page, into: data, index: number)
    }
    guard isWhole else {
      throw .damagedPage(file.path, number, FileLayout.range(ofPage: number, length: record.length))
    }
  }

  /// What lies sealed in `page`, not opened again when its data are still there.
  private func open(_ page: UnsafeMutableRawBufferPointer, _ number: UInt64) throws(MAMError) -> RecentPage {
    let known = recent[number]
    guard !known.holds(number, page) else { return known }
    known.forget()
    try open(page, number, into: known.data)
    known.keep(number, page)
    return known
  }

  /// One page of the disk, which comes to lie in `page`.
  func load(_ page: UnsafeMutableRawBufferPointer, _ number: UInt64) throws(MAMError) -> RecentPage {
    try load(page, from: number)
    return try open(page, number)
  }
}
