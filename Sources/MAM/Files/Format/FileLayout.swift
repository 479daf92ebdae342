/// Where what lies in a file "MAMF" 1: the header, then data pages, each of which fills one page of the disk's cache.
enum FileLayout {
  static let pageSize = 4096
  /// Plain bytes of one page; zeros of 4 bytes stand behind them under the same tag.
  static let dataSize = 4064
  static let sealedSize = 4068
  static let recordOffset = 2048
  static let recordSize = 68
  static let recordRange = recordOffset..<recordOffset + recordSize
  /// The longest plain text whose file has a size that the system can count.
  static let maximumLength = UInt64(Int.max / pageSize - 1) * UInt64(dataSize)

  /// How many pages hold a plain text of this length.
  static func pageCount(_ length: UInt64) -> UInt64 {
    length / UInt64(dataSize) + (length.isMultiple(of: UInt64(dataSize)) ? 0 : 1)
  }

  /// Where a page begins in the file. The page must be one of a plain text of at most `maximumLength`, or the one behind.
  static func offset(ofPage page: UInt64) -> Int { (Int(page) + 1) * pageSize }

  /// The size of the file that holds a plain text of this length.
  static func fileSize(_ length: UInt64) -> Int { offset(ofPage: pageCount(length)) }

  /// The plain bytes of a page in a text of this length.
  static func range(ofPage page: UInt64, length: UInt64) -> Range<UInt64> {
    let start = min(length, page * UInt64(dataSize))
    return start..<min(length, start + UInt64(dataSize))
  }
}
