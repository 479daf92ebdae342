import Cryptography
import Glibc
import Model

/// The plain text in a file "MAMF" 1.
///
/// Whoever changes it holds the `FileLock` and then has it alone. Who reads need not: what fails then as damaged or
/// truncated may be half of another's write, and counts only when it fails again under the lock.
struct EncryptedFile: Sendable {
  /// Seals that are counted ahead, so that not every write of a page has to change the record.
  static let reservation: UInt64 = 1 << 20
  /// What random nonces of 12 bytes bear under one key.
  static let maximumWrites: UInt64 = 1 << 32
  /// From how many seals on the file is to get another key.
  static let renewedWrites = maximumWrites / 2

  let header: FileHeader
  let file: DiskFile
  let cipher: PageCipher
  var record: FileRecord
  /// The record as it was last read or written.
  var sealedRecord: [UInt8]
  /// Seals that the record counts and that are still to be made here.
  var reserved: UInt64
  let recent = RecentPages()
  var writeback = Writeback()
  /// Whether the record is damaged, and every page that is there counts; for reading only.
  private(set) var isSalvaged = false

  /// Makes an empty one in place of whatever the file holds.
  static func create(
    on file: DiskFile, owner: DataOwner, key: IdentityKey
  ) throws(MAMError) -> EncryptedFile {
    let new = try file.encrypting { () throws(CryptographyError) in try draft(file, owner, key) }
    guard let new else {
      throw MAMError(.invalidArguments, "the names of the account are longer than 1 KiB together", path: file.path)
    }
    var page = new.header.page
    page.replaceSubrange(FileLayout.recordRange, with: new.sealedRecord)
    // The header first: killed in between, the file is an empty one with a tail, and not one without a header.
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

  /// Nil for a file that is not encrypted. `key` finds the key that a header names, where there is one.
  ///
  /// `isSalvaging` opens one with a damaged record too, as if every page that is there were whole.
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

  /// Of the plain text, when it was last looked at.
  var length: UInt64 { record.length }

  /// Reads the record, when another has changed it.
  mutating func refresh() throws(MAMError) {
    guard !isSalvaged else { return }
    // On the stack: this belongs to each call.
    try withUnsafeTemporaryAllocation(byteCount: FileLayout.recordSize, alignment: 8) { bytes throws(MAMError) in
      guard try file.read(into: bytes, at: FileLayout.recordOffset) == bytes.count else {
        throw MAMError.damagedRecord(file.path)
      }
      if !bytes.holds(sealedRecord) { try take(bytes) }
    }
  }

  private mutating func take(_ bytes: UnsafeMutableRawBufferPointer) throws(MAMError) {
    let sealed = Array(bytes)
    let record = try file.encrypting { () throws(CryptographyError) in try cipher.openRecord(bytes) }
    guard let record else { throw .damagedRecord(file.path) }
    (self.record, sealedRecord) = (record, sealed)
  }
}

extension FileHeader {
  /// Nil for a file that does not begin with the magic.
  static func read(_ file: DiskFile) throws(MAMError) -> FileHeader? {
    var page = [UInt8](repeating: 0, count: FileLayout.pageSize)
    let count = try page.withRawMutableBytes { bytes throws(MAMError) in try file.read(into: bytes, at: 0) }
    guard page[..<count].starts(with: magic) else { return nil }
    guard let header = page.withUnsafeBytes({ FileHeader(page: $0) }) else {
      throw .damagedHeader(file.path, "header")
    }
    return header
  }
}

extension DiskFile {
  /// A failure of the library, memory mostly.
  func encrypting<Result>(_ body: () throws(CryptographyError) -> Result) throws(MAMError) -> Result {
    do throws(CryptographyError) { return try body() } catch { throw .cannotEncrypt(path, error) }
  }
}

extension [UInt8] {
  mutating func withRawMutableBytes<Result>(
    _ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    try withUnsafeMutableBufferPointer { bytes throws(MAMError) in try body(UnsafeMutableRawBufferPointer(bytes)) }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// As `elementsEqual`, which compares byte by byte.
  fileprivate func holds(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { other in
      guard let own = baseAddress, let other = other.baseAddress, count == bytes.count else { return false }
      return memcmp(own, other, count) == 0
    }
  }
}
