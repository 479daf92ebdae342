/// One file of a folder with which something could not be done.
package struct FileFailure: Sendable {
  package let path: String
  package let code: MAMError.Code
  package let message: String

  init(_ error: MAMError, path: String) {
    self.path = error.path ?? path
    code = error.code
    message = error.message
  }
}
