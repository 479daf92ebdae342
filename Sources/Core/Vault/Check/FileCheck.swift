import Model

/// How much of a file can be read, and what is damaged.
package struct FileCheck: Sendable {
  package let path: String
  package let isEncrypted: Bool
  /// The length of the plain text. Without a record, the length of all pages together.
  package let length: UInt64
  /// How many bytes of the plain text can be read.
  package let readable: UInt64
  /// In the order of the text, with adjacent pages combined.
  package let damage: [FileDamage]
  /// Bytes after the last page. They are ignored and are not damage: a killed write leaves some.
  package let tail: Int

  /// Reads the whole encrypted file. A plain file cannot be checked.
  package init(_ survey: FileSurvey, _ progress: FileProgress? = nil) throws(MAMError) {
    var (survey, readable) = (survey, UInt64(0))
    var damage: [FileDamage] = survey.hasLostRecord ? [.record] : []
    while survey.isEncrypted, let piece = try survey.next() {
      switch piece {
      case .whole(let bytes):
        readable += UInt64(bytes.count)
        try progress?.advance(by: bytes.count)
      case .lost(let lost): damage.add(lost)
      }
    }
    if !survey.isEncrypted { try progress?.advance(by: Int(clamping: survey.length)) }
    (path, isEncrypted, length) = (survey.path, survey.isEncrypted, survey.length)
    self.readable = survey.isEncrypted ? readable : survey.length
    self.damage = damage
    tail = survey.tail
  }
}

extension [FileDamage] {
  fileprivate mutating func add(_ next: FileDamage) {
    if let joined = last?.joined(with: next) { self[count - 1] = joined } else { append(next) }
  }
}

/// A part of an encrypted file that is lost.
package enum FileDamage: Hashable, Sendable {
  /// The length of the text; the pages are still there.
  case record
  /// Adjacent pages, counted from 0, and the bytes of the plain text that they held.
  case pages(ClosedRange<UInt64>, bytes: Range<UInt64>)
  /// All pages from this one on, because the file was cut off.
  case end(page: UInt64, bytes: Range<UInt64>)

  /// `nil` for an error that is not about pages.
  init?(_ error: MAMError) {
    guard let page = error.fault?.page, let bytes = error.fault?.range else { return nil }
    switch error.code {
    case .fileDamaged: self = .pages(page...page, bytes: bytes)
    case .fileTruncated: self = .end(page: page, bytes: bytes)
    default: return nil
    }
  }

  /// `nil` if unknown.
  package var bytes: Range<UInt64>? {
    switch self {
    case .record: nil
    case .pages(_, let bytes), .end(_, let bytes): bytes
    }
  }

  /// This damage and `next` as one, if `next` begins where this ends; otherwise `nil`.
  func joined(with next: FileDamage) -> FileDamage? {
    guard case .pages(let pages, let bytes) = self, case .pages(let more, let moreBytes) = next,
      bytes.upperBound == moreBytes.lowerBound
    else { return nil }
    return .pages(pages.lowerBound...more.upperBound, bytes: bytes.lowerBound..<moreBytes.upperBound)
  }
}
