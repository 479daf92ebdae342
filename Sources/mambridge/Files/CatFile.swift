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
