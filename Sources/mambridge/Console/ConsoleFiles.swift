import CTexts
import Transport

extension PageFiles {
  /// The files of Sources/Console, which are built into the program.
  static let console = PageFiles { name in
    var count = 0
    guard let start = ctexts_console_file(name, &count) else { return nil }
    return File(named: name, Array(UnsafeRawBufferPointer(start: start, count: count)))
  }
}
