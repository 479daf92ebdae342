import MAM
import Model

/// An error of the core, as the command's own.
func coreResult<Result>(_ body: () throws(MAMError) -> Result) throws -> Result {
  do throws(MAMError) {
    return try body()
  } catch {
    throw CommandFailure(exitCode: 1, message: error.line)
  }
}

extension MAMError {
  /// On one line: the code, what is wrong, the way out, and where.
  var line: String {
    let place = path.map { " (\($0))" } ?? ""
    return "error \(code.rawValue), \(description)\(place)"
  }
}
