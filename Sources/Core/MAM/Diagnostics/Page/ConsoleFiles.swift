import CTexts

/// The files of Sources/Program/Console, which are built into the program.
package enum ConsoleFiles {
  /// Scripts and style sheets without comments and indentation; other files as they are. `nil` for an unknown name.
  package static func bytes(of name: String) -> [UInt8]? {
    var count = 0
    guard let start = ctexts_console_file(name, &count) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    return PageSource(named: name)?.stripped(bytes) ?? Array(bytes)
  }

  /// Style sheets in their order.
  static func styles(_ names: [String]) -> String { names.map(text).joined() }

  /// Modules as one script: each comes after those whose exports it uses, and is written without imports and exports.
  static func script(_ names: [String]) -> String {
    names.flatMap { text(of: $0).split(separator: "\n", omittingEmptySubsequences: false) }
      .filter { !$0.hasPrefix("import ") }
      .map { $0.hasPrefix(exporting) ? $0.dropFirst(exporting.count) : $0 }
      .joined(separator: "\n")
  }

  private static let exporting = "export "

  private static func text(of name: String) -> String { String(decoding: bytes(of: name) ?? [], as: UTF8.self) }
}
