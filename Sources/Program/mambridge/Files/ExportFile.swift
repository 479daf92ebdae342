import ArgumentParser
import Glibc
import MAM
import Model
import Support
import Vault

struct ExportFile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Recover the readable content of a damaged file.",
    discussion: """
      Writes zeros in place of lost bytes, so that the others keep their positions; --skip leaves the lost bytes out. \
      Reports what is missing on stderr.

      On stdout the content is not encrypted. The file of --output must not exist yet. It gets the same owner, is \
      encrypted if the owner's policy requires it, and appears under its name only when it is complete.

      Exit codes: 0 the file was whole; 1 something is missing, or nothing could be read.

      Examples:

        # Recover the content in plain
        mambridge files export plan.txt >plain.txt

        # Recover it into a new file of the same owner
        mambridge files export plan.txt --output recovered.txt
      """)

  @Argument(help: "The damaged file.", completion: .file())
  var path: AbsolutePath

  @Option(help: "The new file (default: write the content to stdout).", completion: .file())
  var output: AbsolutePath?

  @Flag(help: "Leave lost bytes out instead of writing zeros.")
  var skip = false

  @OptionGroup var core: CoreOptions

  func run() throws { throw ExitCode(LongWork(isQuiet: core.quiet).run(on: core.arguments, export)) }

  private func export(_ core: Core, _ work: WorkControl) throws -> LongWork.Outcome {
    var survey = try coreResult { () throws(MAMError) in try core.files.survey(path) }
    let draft = try coreResult { () throws(MAMError) in
      try output.map { path throws(MAMError) in try core.files.draftCopy(of: survey, at: path) }
    }
    return try recover(&survey, into: draft, work)
  }

  private func recover(
    _ survey: inout FileSurvey, into draft: FileDraft?, _ work: WorkControl
  ) throws -> LongWork.Outcome {
    let target = RecoveredContent(draft: draft, skipsLost: skip)
    var (isWhole, readable) = (!survey.hasLostRecord, 0)
    if survey.hasLostRecord { report(.record, work) }
    while let piece = try coreResult({ () throws(MAMError) in try survey.next() }) {
      try work.checkStopped()
      switch piece {
      case .whole(let bytes):
        try target.write(bytes)
        readable += bytes.count
        if draft != nil { work.show(WorkDone(bytes: readable, total: Int(clamping: survey.length))) }
      case .lost(let damage):
        isWhole = false
        report(damage, work)
        try target.pass(damage)
      }
    }
    try coreResult { () throws(MAMError) in try draft?.commit() }
    target.endLine()
    let amount = isWhole ? "all \(readable) bytes" : "\(readable) of \(survey.length) bytes"
    let place = output.map { " to \($0.text.shown)" } ?? ""
    return LongWork.Outcome(
      exitCode: isWhole ? EXIT_SUCCESS : EXIT_FAILURE, summary: "recovered \(amount) of \(path.text.shown)\(place)")
  }

  private func report(_ damage: FileDamage, _ work: WorkControl) {
    work.report("mambridge: \(path.text): \(damage.text)")
  }
}

/// Where recovered bytes go: to a new file or to stdout.
private struct RecoveredContent {
  private static let longestPiece: UInt64 = 1 << 18

  let draft: FileDraft?
  let skipsLost: Bool
  private let output = ContentOutput()

  init(draft: FileDraft?, skipsLost: Bool) {
    self.draft = draft
    self.skipsLost = skipsLost
  }

  func endLine() { output.endLine() }

  func write(_ bytes: [UInt8]) throws {
    guard let draft else { return try output.write(bytes) }
    try coreResult { () throws(MAMError) in try draft.append(bytes) }
  }

  /// Writes zeros in place of lost bytes, a piece at a time: a truncated file may lack more bytes than fit into memory.
  func pass(_ damage: FileDamage) throws {
    guard !skipsLost, let range = damage.bytes else { return }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.longestPiece)) {
      try write([UInt8](repeating: 0, count: Int(min(Self.longestPiece, range.upperBound - start))))
    }
  }
}
