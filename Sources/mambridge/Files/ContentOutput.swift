import Glibc

/// Content on standard output: any bytes into a file or a pipe, and only text onto a terminal.
struct ContentOutput {
  private let isTerminal = isatty(STDOUT_FILENO) == 1

  func write(_ bytes: [UInt8]) throws {
    if isTerminal && !Self.isText(bytes) {
      throw CommandFailure(
        exitCode: 1, message: "the content is no text: it is not shown on a terminal; send it into a file or a pipe")
    }
    try printResult(bytes)
  }

  /// Control characters could do to a terminal what nobody asked for.
  static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
  }
}
