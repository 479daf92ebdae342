/// An error that can carry a database's: lets the body of a transaction throw its owner's error type.
package protocol SQLiteFailure: Error {
  init(_ error: SQLiteError)
}

extension SQLiteError: SQLiteFailure {
  package init(_ error: SQLiteError) { self = error }
}
