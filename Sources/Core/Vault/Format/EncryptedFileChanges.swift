import CGlibc
import Cryptography
import Glibc
import Model

/// Changes to an encrypted file. The caller must hold the lock and have refreshed the file under it.
extension EncryptedFile {
  /// Fills a gap before `offset` with zeros. A failed write does not change the length.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MAMError) {
    guard !bytes.isEmpty else { return }
    let end = try checkedEnd(offset, UInt64(bytes.count))
    try cuttingTailOnFailure { file throws(MAMError) in
      if offset > file.length { try file.put(nil, at: file.length..<offset, existing: file.length) }
      try file.put(bytes, at: offset..<end, existing: max(file.length, offset))
      guard end > file.length else { return }
      let old = FileLayout.fileSize(file.length)
      try file.commit(length: end)
      file.writeback.fileGrew(file.file, old..<FileLayout.fileSize(end))
    }
  }

  /// Extends the file with zeros, or shortens it.
  mutating func truncate(to length: UInt64) throws(MAMError) {
    let length = try checkedEnd(length, 0)
    if length > record.length {
      try cuttingTailOnFailure { file throws(MAMError) in
        try file.put(nil, at: file.length..<length, existing: file.length)
        try file.commit(length: length)
      }
    } else if length < record.length {
      try shrink(to: length)
    }
  }

  /// Removes what a killed write may have left after the end.
  mutating func cutTail() throws(MAMError) {
    try refresh()
    let size = FileLayout.fileSize(record.length)
    if try file.size() > size { try file.truncate(to: size) }
  }

  /// Returns the seals that were counted in advance. Called on close.
  mutating func release() throws(MAMError) {
    guard reserved > 0 else { return }
    try refresh()
    record.writeCount -= min(reserved, record.writeCount)
    reserved = 0
    try commit(length: record.length)
  }

  private func checkedEnd(_ offset: UInt64, _ count: UInt64) throws(MAMError) -> UInt64 {
    let (end, hasOverflown) = offset.addingReportingOverflow(count)
    guard !hasOverflown, end <= Self.maximumLength else { throw .tooLarge(file.path, limit: Self.maximumLength) }
    return end
  }

  /// Opens the last page before changing anything, so that nothing has changed if the page is damaged.
  private mutating func shrink(to length: UInt64) throws(MAMError) {
    let rest = Int(length % UInt64(FileLayout.dataSize))
    let last = length / UInt64(FileLayout.dataSize)
    try reserve(1)
    try PageBuffers.shared.withRun { buffer throws(MAMError) in
      let page = UnsafeMutableRawBufferPointer(rebasing: buffer[..<FileLayout.pageSize])
      let kept = rest > 0 ? try load(page, last) : recent[last]
      kept.forget()
      kept.data.clear(rest..<FileLayout.dataSize)
      try commit(length: length)
      guard rest > 0 else { return }
      // After a power cut, the new last page with the old length would be zeros in place of bytes.
      try file.sync(dataOnly: true)
      var nonces = try newNonces(1)
      try seal(kept, into: page, last, &nonces)
      try file.write(UnsafeRawBufferPointer(page), at: FileLayout.offset(ofPage: last))
    }
    try file.truncate(to: FileLayout.fileSize(length))
  }

  /// Seals the pages of a range, with zeros if there is no `source`. `existing` is the length of the plain text on the
  /// disk.
  private mutating func put(
    _ source: UnsafeRawBufferPointer?, at range: Range<UInt64>, existing: UInt64
  ) throws(MAMError) {
    let count = range.upperBound - range.lowerBound
    try reserve(count / UInt64(FileLayout.dataSize) + 2)
    try PageBuffers.shared.withRun { buffer throws(MAMError) in
      var done: UInt64 = 0
      while done < count {
        let run = PageRun(at: range.lowerBound + done, count: count - done)
        let part = source.map { UnsafeRawBufferPointer(rebasing: $0[Int(done)...].prefix(run.count)) }
        try put(part, run, buffer, existing: existing)
        done += UInt64(run.count)
      }
    }
  }

  private func put(
    _ source: UnsafeRawBufferPointer?, _ run: PageRun, _ buffer: UnsafeMutableRawBufferPointer, existing: UInt64
  ) throws(MAMError) {
    var nonces = try newNonces(run.pageCount)
    for index in 0..<run.pageCount {
      let (page, number, range) = (run.page(index, in: buffer), run.first + UInt64(index), run.plainRange(index))
      let part = source.map { UnsafeRawBufferPointer(rebasing: $0[run.place(index)...].prefix(range.count)) }
      if let part, range.count == FileLayout.dataSize {
        try seal(part, into: page, number, &nonces)
      } else {
        let kept = try prepare(page, number, around: range, existing: existing)
        kept.put(part, at: range)
        try seal(kept, into: page, number, &nonces)
      }
    }
    try file.write(UnsafeRawBufferPointer(run.bytes(in: buffer)), at: FileLayout.offset(ofPage: run.first))
  }

  /// The data of a page outside `range`: what is on the disk, then zeros. May overwrite `page`.
  private func prepare(
    _ page: UnsafeMutableRawBufferPointer, _ number: UInt64, around range: Range<Int>, existing: UInt64
  ) throws(MAMError) -> RecentPage {
    let known = FileLayout.range(ofPage: number, length: existing).count
    let isNeeded = range.lowerBound > 0 && known > 0 || range.upperBound < known
    let kept = isNeeded ? try load(page, number) : recent[number]
    kept.forget()
    kept.data.clear(min(known, range.lowerBound)..<range.lowerBound)
    kept.data.clear(max(known, range.upperBound)..<FileLayout.dataSize)
    return kept
  }

  /// Nonces for pages that are all sealed right away.
  private func newNonces(_ count: Int) throws(MAMError) -> NonceBatch {
    try file.encrypting { () throws(CryptographyError) in try NonceBatch(count: count) }
  }

  private func seal(
    _ kept: RecentPage, into page: UnsafeMutableRawBufferPointer, _ number: UInt64, _ nonces: inout NonceBatch
  ) throws(MAMError) {
    try seal(UnsafeRawBufferPointer(kept.data), into: page, number, &nonces)
    kept.keep(number, page)
  }

  private func seal(
    _ data: UnsafeRawBufferPointer, into page: UnsafeMutableRawBufferPointer, _ number: UInt64,
    _ nonces: inout NonceBatch
  ) throws(MAMError) {
    try file.encrypting { () throws(CryptographyError) in
      try cipher.seal(data, into: page, index: number, &nonces)
    }
  }

  /// Makes the record count this many seals before they are made.
  private mutating func reserve(_ count: UInt64) throws(MAMError) {
    if reserved < count {
      let more = max(count, Self.reservation)
      guard record.writeCount + more < Self.maximumWrites else { throw .wornOut(file.path) }
      record.writeCount += more
      try commit(length: record.length)
      reserved += more
    }
    reserved -= count
  }

  /// Writes the record, which sets the length of the plain text. Counts its own seal.
  private mutating func commit(length: UInt64) throws(MAMError) {
    let new = FileRecord(length: length, writeCount: record.writeCount + 1)
    let sealed = try file.encrypting { () throws(CryptographyError) in try cipher.seal(new) }
    try sealed.withRawBytes { bytes throws(MAMError) in try file.write(bytes, at: FileLayout.recordOffset) }
    record = new
    sealedRecord = sealed
  }

  private mutating func cuttingTailOnFailure(
    _ body: (inout EncryptedFile) throws(MAMError) -> Void
  ) throws(MAMError) {
    do throws(MAMError) {
      try body(&self)
    } catch {
      // Bytes after the end are harmless, and are cut off at the next open.
      try? cutTail()
      throw error
    }
  }
}

extension MAMError {
  fileprivate static func wornOut(_ path: String) -> MAMError {
    MAMError(
      .fileUnavailable, "the file was written so often that its key must not be used any longer",
      hint: "Copy the content to a new file", path: path, fault: FileFault(number: EFBIG))
  }
}

/// Starts to write the new data of a growing file to the disk early, so that a final sync has little left to do.
/// Guarantees nothing: only a sync does.
struct Writeback: Sendable {
  private static let step = 8 << 20
  /// The offset from which data was not sent yet.
  private var begin = 0

  mutating func fileGrew(_ file: DiskFile, _ new: Range<Int>) {
    if !(begin...begin + Self.step).contains(new.lowerBound) { begin = new.lowerBound }
    guard new.upperBound - begin >= Self.step else { return }
    cglibc_start_writeback(file.descriptor, Int64(begin), Int64(new.upperBound - begin))
    begin = new.upperBound
  }
}
