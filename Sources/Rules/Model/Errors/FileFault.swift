/// What is known about the failure of a file.
package struct FileFault: Sendable {
  /// The system's errno.
  package var number: Int32?
  /// The page of an encrypted file, counted from 0.
  package var page: UInt64?
  /// The bytes of the plain text that cannot be read.
  package var range: Range<UInt64>?

  package init(number: Int32? = nil, page: UInt64? = nil, range: Range<UInt64>? = nil) {
    self.number = number
    self.page = page
    self.range = range
  }
}

/// A file of a folder that failed, and why.
package struct FileFailure: Sendable {
  package let path: String
  package let code: ErrorCode
  package let message: String

  package init(_ error: MAMError, path: String) {
    self.path = error.path ?? path
    code = error.code
    message = error.message
  }
}
