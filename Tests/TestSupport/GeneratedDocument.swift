import Glibc

/// A file below docs/ that is written from the code.
package struct GeneratedDocument {
  private let path: String

  package init(_ name: String) {
    path = Checkout.path("docs/\(name)")
  }

  /// Whether it holds the text, which with MAMBRIDGE_WRITE_DOCS set is written into it first.
  package func isCurrent(_ text: String) throws -> Bool {
    if getenv("MAMBRIDGE_WRITE_DOCS") != nil { try write(text) }
    return readFile(path).map { String(decoding: $0, as: UTF8.self) } == text
  }

  private func write(_ text: String) throws {
    guard let file = fopen(path, "w") else { throw NotWritable(path: path) }
    defer { fclose(file) }
    fputs(text, file)
  }

  private struct NotWritable: Error { let path: String }
}
