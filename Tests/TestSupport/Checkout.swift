/// The folder from which the tests were built.
package enum Checkout {
  /// `nil` for a file that is not there.
  package static func text(_ path: String) -> String? {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
    return readFile("\(root)/\(path)").map { String(decoding: $0, as: UTF8.self) }
  }
}
