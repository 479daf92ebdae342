import Cryptography
import Glibc

extension EncryptedFile {
  /// How many plain bytes there were from `offset` on; fewer than asked for at the end only.
  mutating func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    try refresh()
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
      let page = run.page(index, in: buffer)
      try open(page, run.first + UInt64(index))
      let plain = UnsafeRawBufferPointer(rebasing: page.plainBytes[run.plainRange(index)])
      UnsafeMutableRawBufferPointer(rebasing: target[run.place(index)...]).copyMemory(from: plain)
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

  private func open(_ page: UnsafeMutableRawBufferPointer, _ index: UInt64) throws(MAMError) {
    let isWhole = try file.encrypting { () throws(CryptographyError) in try cipher.open(page, index: index) }
    guard isWhole, page.plainBytes.loadUnaligned(fromByteOffset: FileLayout.dataSize, as: UInt32.self) == 0 else {
      throw .damagedPage(file.path, index, FileLayout.range(ofPage: index, length: record.length))
    }
  }

  /// One page, opened in place.
  func load(_ page: UnsafeMutableRawBufferPointer, page index: UInt64) throws(MAMError) {
    try load(page, from: index)
    try open(page, index)
  }
}
