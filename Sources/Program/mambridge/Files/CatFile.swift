import ArgumentParser
import Glibc
import MAM
import Model
import Support

struct CatFile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Print the content of an encrypted or plain file.",
    discussion: """
      Stops at the first damaged page; use `files export` to read past it. The owner of an encrypted file must be \
      enrolled in the app. Content with control characters is not printed to a terminal.

      Examples:

        # Count the words of an encrypted file
        mambridge files cat plan.txt | wc -w
      """)

  /// The number of bytes to read at a time.
  private static let pieceLength = 1 << 18

  @Argument(help: "The file.", completion: .file())
  var path: AbsolutePath

  @OptionGroup var core: CoreOptions

  func run() throws { throw ExitCode(LongWork(isQuiet: core.quiet).run(on: core.arguments, copy)) }

  private func copy(_ core: Core, _ work: WorkControl) throws -> LongWork.Outcome {
    let output = ContentOutput()
    let file = try coreResult { () throws(MAMError) in try core.files.open(path, [.readOnly]) }
    var length = 0
    while !work.isStopped {
      let bytes = try coreResult { () throws(MAMError) in try file.read(Self.pieceLength) }
      guard !bytes.isEmpty else { break }
      try output.write(bytes)
      length += bytes.count
    }
    output.endLine()
    return LongWork.Outcome(summary: "printed \(ByteCount(length).text) of \(path.text.shown)")
  }
}

/// Writes content to stdout: any bytes to a file or a pipe, but only text to a terminal.
final class ContentOutput {
  private let isTerminal = isatty(STDOUT_FILENO) == 1
  private var isInLine = false

  func write(_ bytes: [UInt8]) throws {
    if isTerminal && !Self.isText(bytes) {
      throw CommandFailure(
        exitCode: 1,
        message: "the content is not text, so it is not shown on a terminal; redirect it to a file or a pipe")
    }
    try printResult(bytes)
    if let last = bytes.last { isInLine = last != UInt8(ascii: "\n") }
  }

  /// Begins a new line on a terminal, for what the command says next.
  func endLine() {
    if isTerminal && isInLine { printError("") }
  }

  /// Control characters are not text: they could make a terminal do what nobody asked for.
  static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
  }
}
