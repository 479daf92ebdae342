import ArgumentParser
import Glibc
import MAM
import Model

struct CatFile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Print the content of a file, encrypted or plain.",
    discussion: """
      Stops at the first page that is damaged; export reads past it. Needs an enrolled owner where the file is \
      encrypted. Shows no control characters on a terminal.
      """)

  /// Bytes that are read at a time.
  private static let pieceLength = 1 << 18

  @Argument(help: "The file.", completion: .file())
  var path: AbsolutePath

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        try copy()
        return EXIT_SUCCESS
      })
  }

  private func copy() throws {
    let core = try core.arguments.makeCore()
    defer { core.end() }
    let output = ContentOutput()
    let file = try coreResult { () throws(MAMError) in try core.files.open(path, [.readOnly]) }
    while true {
      let bytes = try coreResult { () throws(MAMError) in try file.read(Self.pieceLength) }
      guard !bytes.isEmpty else { return }
      try output.write(bytes)
    }
  }
}

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
