import Model

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
