import Model

/// What of a file can be read, and what cannot.
package struct FileCheck: Sendable {
  package let path: String
  package let isEncrypted: Bool
  /// Of the plain text; without its record, of all pages together.
  package let length: UInt64
  /// How many bytes of the plain text are whole.
  package let readable: UInt64
  /// In the order of the text. Neighbouring pages are told together.
  package let damage: [FileDamage]
  /// Bytes behind the last page. They do not count, and are no damage: a killed write leaves some.
  package let tail: Int

  /// Reads an encrypted file whole. Nothing tells whether a plain one is as it was.
  package init(_ survey: FileSurvey) throws(MAMError) {
    var (survey, readable) = (survey, UInt64(0))
    var damage: [FileDamage] = survey.hasLostRecord ? [.record] : []
    while survey.isEncrypted, let piece = try survey.next() {
      switch piece {
      case .whole(let bytes): readable += UInt64(bytes.count)
      case .lost(let lost): damage.add(lost)
      }
    }
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

/// What of an encrypted file is lost.
package enum FileDamage: Hashable, Sendable {
  /// How long the text is; the pages are there.
  case record
  /// Neighbouring pages, counted from 0, and the bytes of the plain text that they held.
  case pages(ClosedRange<UInt64>, bytes: Range<UInt64>)
  /// All pages from this one on: the file was cut off.
  case end(page: UInt64, bytes: Range<UInt64>)

  /// Nil for an error that is not about pages.
  init?(_ error: MAMError) {
    guard let page = error.fault?.page, let bytes = error.fault?.range else { return nil }
    switch error.code {
    case .fileDamaged: self = .pages(page...page, bytes: bytes)
    case .fileTruncated: self = .end(page: page, bytes: bytes)
    default: return nil
    }
  }

  /// Nil where it is not known.
  package var bytes: Range<UInt64>? {
    switch self {
    case .record: nil
    case .pages(_, let bytes), .end(_, let bytes): bytes
    }
  }

  /// Both as one, where the other begins where this ends; else nil.
  func joined(with next: FileDamage) -> FileDamage? {
    guard case .pages(let pages, let bytes) = self, case .pages(let more, let moreBytes) = next,
      bytes.upperBound == moreBytes.lowerBound
    else { return nil }
    return .pages(pages.lowerBound...more.upperBound, bytes: bytes.lowerBound..<moreBytes.upperBound)
  }
}
