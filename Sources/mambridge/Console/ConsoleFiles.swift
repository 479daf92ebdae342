import CTexts
import Transport

extension PageFiles {
  /// The files of Sources/Console, which are built into the program. Scripts and style sheets are served without comments
  /// and indentation.
  static let console = PageFiles { name in
    var count = 0
    guard let start = ctexts_console_file(name, &count) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    return File(named: name, PageSource(named: name)?.stripped(bytes) ?? Array(bytes))
  }
}
