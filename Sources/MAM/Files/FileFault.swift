/// Where a file failed, as far as that is known.
public struct FileFault: Sendable {
  /// The system's errno.
  public var number: Int32?
  /// Of an encrypted file, counted from 0.
  public var page: UInt64?
  /// The bytes of the plain text that cannot be read.
  public var range: Range<UInt64>?

  package init(number: Int32? = nil, page: UInt64? = nil, range: Range<UInt64>? = nil) {
    self.number = number
    self.page = page
    self.range = range
  }
}
