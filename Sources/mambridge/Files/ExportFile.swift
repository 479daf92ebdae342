import ArgumentParser
import Glibc
import MAM
import Model
import Vault

struct ExportFile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Recover what can be read of a damaged file.",
    discussion: """
      Zeros stand for the bytes that are lost, so that all others keep their places; with --skip nothing does. What is \
      missing is told on stderr. Exit code 0: the file was whole; 1: something is missing, or nothing could be read.

        mambridge files export plan.txt >recovered.txt
        mambridge files export plan.txt --output recovered.txt

      On stdout the content is plain. The file of --output must not be there yet; it belongs to the same owner, is \
      encrypted when the owner's policy requires it, and has its name only when all of it is written.
      """)

  @Argument(help: "The damaged file.", completion: .file())
  var path: AbsolutePath

  @Option(help: "The new file; without it the content goes to stdout.", completion: .file())
  var output: AbsolutePath?

  @Flag(help: "Leave out what is lost, instead of zeros in its place.")
  var skip = false

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let core = try core.arguments.makeCore()
        defer { core.end() }
        var survey = try coreResult { () throws(MAMError) in try core.files.survey(path) }
        let draft = try coreResult { () throws(MAMError) in
          try output.map { path throws(MAMError) in try core.files.draftCopy(of: survey, at: path) }
        }
        return try recover(&survey, into: draft)
      })
  }

  private func recover(_ survey: inout FileSurvey, into draft: FileDraft?) throws -> Int32 {
    let target = RecoveredContent(draft: draft, skipsLost: skip)
    var isWhole = !survey.hasLostRecord
    if survey.hasLostRecord { tell(.record) }
    while let piece = try coreResult({ () throws(MAMError) in try survey.next() }) {
      switch piece {
      case .whole(let bytes): try target.write(bytes)
      case .lost(let damage):
        isWhole = false
        tell(damage)
        try target.pass(damage)
      }
    }
    try coreResult { () throws(MAMError) in try draft?.commit() }
    return isWhole ? EXIT_SUCCESS : EXIT_FAILURE
  }

  private func tell(_ damage: FileDamage) { printError("mambridge: \(path.text): \(damage.text)") }
}

/// Where recovered bytes go.
private struct RecoveredContent {
  private static let longestPiece: UInt64 = 1 << 18

  let draft: FileDraft?
  let skipsLost: Bool
  private let output = ContentOutput()

  init(draft: FileDraft?, skipsLost: Bool) {
    self.draft = draft
    self.skipsLost = skipsLost
  }

  func write(_ bytes: [UInt8]) throws {
    guard let draft else { return try output.write(bytes) }
    try coreResult { () throws(MAMError) in try draft.append(bytes) }
  }

  /// Zeros for what is lost, a piece at a time: a file that was cut off may lack more than fits into memory.
  func pass(_ damage: FileDamage) throws {
    guard !skipsLost, let range = damage.bytes else { return }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.longestPiece)) {
      try write([UInt8](repeating: 0, count: Int(min(Self.longestPiece, range.upperBound - start))))
    }
  }
}
