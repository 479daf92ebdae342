@testable import mambridge

/// A file of expectations: errors are in it.
func checkExpectations(_ bytes: [UInt8]) {
  do throws(ExpectationError) {
    _ = try ExpectationParser.script(bytes, path: "policy.test")
  } catch {
    let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") }
    check(1...lines ~= error.place.line, "an error in line \(error.place.line) of \(lines)")
    check(error.place.column >= 1, "an error in column \(error.place.column)")
  }
}
