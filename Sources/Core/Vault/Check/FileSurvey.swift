import Glibc
import Model
import Support

/// Reads the plain text of a file from beginning to end, and continues past damage.
///
/// What seems damaged is read again under the file's lock, because a write by another process may be half done.
package struct FileSurvey: Sendable {
  package enum Piece: Sendable {
    case whole([UInt8])
    case lost(FileDamage)
  }

  package var path: String { file.path }
  package var isEncrypted: Bool { content.encryption != nil }
  /// The length of the plain text. If the record is damaged, the length of all pages together.
  package private(set) var length: UInt64
  /// Bytes after the last page, which are ignored. Known once there are no more pieces.
  package private(set) var tail = 0
  /// Whether the record is damaged: the text may have been shorter than its pages.
  package let hasLostRecord: Bool
  package let owner: DataOwner?

  private static let pieceLength = UInt64(PageBuffers.runLength * FileLayout.dataSize)
  private let file: DiskFile
  private let lock: FileLock
  private var content: any PlainText
  private var offset: UInt64 = 0

  package init(_ path: AbsolutePath, _ environment: FileEnvironment) throws(MAMError) {
    try self.init(DiskFile(path: path.text, flags: O_RDONLY), environment)
  }

  /// Refuses a file of which nothing can be read: 5002 for a damaged header, 5005 without its key.
  init(_ file: DiskFile, _ environment: FileEnvironment) throws(MAMError) {
    self.file = file
    let lock = try FileLock.of(file)
    let content = try environment.content(of: file, isSalvaging: true, lock)
    if content.encryption == nil, try FileHeader.lacksOnlyMagic(file) { throw .damagedHeader(file.path, "beginning") }
    length = try content.currentLength()
    owner = if let header = content.encryption { header.owner } else { try environment.owners.owner(of: file) }
    hasLostRecord = (content as? EncryptedFile)?.isSalvaged ?? false
    self.lock = lock
    self.content = content
  }

  /// `nil` at the end.
  package mutating func next() throws(MAMError) -> Piece? {
    let (lock, file, start) = (lock, file, offset)
    do throws(MAMError) {
      let piece = try lookForNext()
      guard case .lost? = piece else { return piece }
    } catch {
      guard error.mayBeHalfWritten else { throw error }
    }
    offset = start
    return try lock.withLock(file, for: .reading) { () throws(MAMError) -> Piece? in try lookForNext() }
  }

  private mutating func lookForNext() throws(MAMError) -> Piece? {
    try content.refresh()
    length = try content.currentLength()
    if let piece = try readNext() { return piece }
    if isEncrypted { tail = max(0, try file.size() - FileLayout.fileSize(length)) }
    return nil
  }

  /// Reads up to the next lost page, or past it.
  private mutating func readNext() throws(MAMError) -> Piece? {
    var end = min(length, offset + Self.pieceLength)
    while offset < end {
      do throws(MAMError) {
        let bytes = try read(offset..<end)
        offset += UInt64(bytes.count)
        return bytes.isEmpty ? nil : .whole(bytes)
      } catch {
        guard let damage = FileDamage(error), let lost = damage.bytes else { throw error }
        if lost.lowerBound <= offset {
          offset = lost.upperBound
          return .lost(damage)
        }
        end = lost.lowerBound
      }
    }
    return nil
  }

  private mutating func read(_ range: Range<UInt64>) throws(MAMError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withRawMutableBytes { target throws(MAMError) in
      try content.read(into: target, at: range.lowerBound)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

extension FileHeader {
  /// Whether everything except the first bytes is the header of an encrypted file.
  fileprivate static func lacksOnlyMagic(_ file: DiskFile) throws(MAMError) -> Bool {
    let page = magic + (try file.start(count: FileLayout.pageSize)).dropFirst(magic.count)
    return page.withUnsafeBytes { FileHeader(page: $0) != nil }
  }
}
