import Cryptography
import Glibc
import Model

/// The plain text of a "MAMF" 1 file.
///
/// A writer holds the `FileLock` and has exclusive use of this. A reader needs no lock: damage or truncation that it
/// meets may be a write in progress, and counts only if it is still there under the lock.
struct EncryptedFile: Sendable {
  /// How many seals are counted in advance, so that a page write rarely has to change the record.
  static let reservation: UInt64 = 1 << 20
  /// The limit for random 12-byte nonces under one key.
  static let maximumWrites: UInt64 = 1 << 32
  /// The number of seals at which the file gets a new key.
  static let renewedWrites = maximumWrites / 2
  /// The longest plain text whose pages can all be sealed under a new key, which must not be renewed right away.
  static let maximumLength = (renewedWrites - reservation) * UInt64(FileLayout.dataSize)

  let header: FileHeader
  let file: DiskFile
  let cipher: PageCipher
  var record: FileRecord
  /// The sealed record as last read or written.
  var sealedRecord: [UInt8]
  /// Seals that the record counts already, but that have not been made yet.
  var reserved: UInt64
  let recent = RecentPages()
  var writeback = Writeback()
  /// Whether the file was opened for reading despite a damaged record. Then every existing page counts.
  private(set) var isSalvaged = false

  /// Replaces the content of the file with an empty encrypted file.
  static func create(
    on file: DiskFile, owner: DataOwner, key: IdentityKey
  ) throws(MAMError) -> EncryptedFile {
    let new = try file.encrypting { () throws(CryptographyError) in try draft(file, owner, key) }
    guard let new else {
      throw MAMError(.invalidArguments, "the names of the account together exceed 1 KiB", path: file.path)
    }
    var page = new.header.page
    page.replaceSubrange(FileLayout.recordRange, with: new.sealedRecord)
    // Write the header first: a kill in between leaves an empty file with a tail, not one without a header.
    try page.withRawBytes { page throws(MAMError) in try file.write(page, at: 0) }
    if try file.size() > FileLayout.pageSize { try file.truncate(to: FileLayout.pageSize) }
    return new
  }

  private static func draft(
    _ file: DiskFile, _ owner: DataOwner, _ key: IdentityKey
  ) throws(CryptographyError) -> EncryptedFile? {
    let header = try FileHeader(owner: owner, key: key) { header throws(CryptographyError) in
      try PageCipher.derive(header, key).commitment
    }
    guard let header else { return nil }
    let cipher = try PageCipher.derive(header, key).cipher
    let record = FileRecord(length: 0, writeCount: reservation)
    return EncryptedFile(
      header: header, file: file, cipher: cipher, record: record, sealedRecord: try cipher.seal(record),
      reserved: reservation - 1)
  }

  /// `nil` for a file that is not encrypted. `key` returns the key that a header names, if it exists.
  ///
  /// With `isSalvaging`, also opens a file with a damaged record, as if every existing page were whole.
  static func open(
    _ file: DiskFile, isSalvaging: Bool = false, key: (FileHeader) throws(MAMError) -> IdentityKey?
  ) throws(MAMError) -> EncryptedFile? {
    guard let header = try FileHeader.read(file) else { return nil }
    guard let key = try key(header) else { throw .noFileKey(file.path) }
    let cipher = try file.encrypting { () throws(CryptographyError) -> PageCipher? in
      let (cipher, commitment) = try PageCipher.derive(header, key)
      return constantTimeEquals(commitment, header.commitment) ? cipher : nil
    }
    guard let cipher else { throw .damagedHeader(file.path, "header") }
    var opened = EncryptedFile(
      header: header, file: file, cipher: cipher, record: FileRecord(length: 0, writeCount: 0), sealedRecord: [],
      reserved: 0)
    do throws(MAMError) {
      try opened.refresh()
    } catch {
      guard isSalvaging, error.code == .fileDamaged else { throw error }
      opened.isSalvaged = true
      opened.record.length = UInt64(max(0, try file.size() / FileLayout.pageSize - 1)) * UInt64(FileLayout.dataSize)
    }
    return opened
  }

  /// The length of the plain text as of the last refresh.
  var length: UInt64 { record.length }

  /// Reads the record again if another process has changed it.
  mutating func refresh() throws(MAMError) {
    guard !isSalvaged else { return }
    // Allocate on the stack, because this runs in every call.
    try withUnsafeTemporaryAllocation(byteCount: FileLayout.recordSize, alignment: 8) { bytes in
      Result { () throws(MAMError) in try refresh(using: bytes) }
    }.get()
  }

  private mutating func refresh(using bytes: UnsafeMutableRawBufferPointer) throws(MAMError) {
    guard try file.read(into: bytes, at: FileLayout.recordOffset) == bytes.count else {
      throw MAMError.damagedRecord(file.path)
    }
    if !bytes.holds(sealedRecord) { try take(bytes) }
  }

  private mutating func take(_ bytes: UnsafeMutableRawBufferPointer) throws(MAMError) {
    let sealed = Array(bytes)
    let record = try file.encrypting { () throws(CryptographyError) in try cipher.openRecord(bytes) }
    guard let record else { throw .damagedRecord(file.path) }
    (self.record, sealedRecord) = (record, sealed)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Like `elementsEqual`, which compares byte by byte and is slower.
  fileprivate func holds(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { other in
      guard let own = baseAddress, let other = other.baseAddress, count == bytes.count else { return false }
      return memcmp(own, other, count) == 0
    }
  }
}

extension EncryptedFile {
  /// Returns the number of plain bytes read from `offset` on, which is smaller than the buffer only at the end.
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

  /// Reads sealed pages from the disk. Throws if the file has fewer pages.
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

  /// Opens the sealed `page`, unless its data is still in memory.
  private func open(_ page: UnsafeMutableRawBufferPointer, _ number: UInt64) throws(MAMError) -> RecentPage {
    let known = recent[number]
    guard !known.holds(number, page) else { return known }
    known.forget()
    try open(page, number, into: known.data)
    known.keep(number, page)
    return known
  }

  /// Reads one page from the disk into `page` and opens it.
  func load(_ page: UnsafeMutableRawBufferPointer, _ number: UInt64) throws(MAMError) -> RecentPage {
    try load(page, from: number)
    return try open(page, number)
  }
}
