import ArgumentParser
import Glibc
import MAM
import Model
import Support
import Vault

struct WriteFile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Replace the content of a file with standard input: all of it, or nothing.",
    discussion: """
      The file keeps its old content until all input has been read, even if the command is killed; the next start of \
      mambridge removes the unfinished copy. The new content is encrypted if the owner's policy requires it. An \
      --account without a policy is refused unless you pass --allow-plain.

      An existing file keeps its mode, ACL and other attributes but gets a new owner: the account of --account, or \
      otherwise the effective account of the app. A file that is open for writing is not changed (error 5003). \
      mambridge cannot tell whether the program that feeds a pipe has failed, so set pipefail in the shell.

      Examples:

        # Replace the content of a file, and set its owner
        mambridge files write plan.txt --account alice@contoso.example \\
          <plan.txt.new
      """)

  private static let pieceLength = 1 << 18

  @Argument(help: "The file.", completion: .file())
  var path: AbsolutePath

  @Option(
    help: "The owner: an object id or a user principal name; \"\" means no user (default: the effective account).")
  var account: String?

  @Flag(help: "Allow an owner without a policy. The file stays plain.")
  var allowPlain = false

  @OptionGroup var core: CoreOptions

  func run() throws { throw ExitCode(LongWork(isQuiet: core.quiet).run(on: core.arguments, fill)) }

  private func fill(_ core: Core, _ work: WorkControl) throws -> LongWork.Outcome {
    let owner = account.map { AccountReference($0) }
    if let owner {
      _ = try OwnerCheck(files: core.files, appId: core.appId, allowsPlain: allowPlain).ownership(of: owner)
    }
    let length = try write(work, to: coreResult { () throws(MAMError) in try core.files.draft(path, for: owner) })
    let info = try coreResult { () throws(MAMError) in try core.files.protectionInfo(ofFile: path) }
    return LongWork.Outcome(
      summary: "wrote \(ByteCount(length).text) to \(path.text.shown): \(info.sentenceEnd)")
  }

  /// Returns the number of bytes. The draft removes its temporary file if the work is stopped.
  private func write(_ work: WorkControl, to draft: FileDraft) throws -> Int {
    var length = 0
    let total = Self.inputSize
    while let piece = try Self.readInput(work) {
      try coreResult { () throws(MAMError) in try draft.append(piece) }
      length += piece.count
      work.show(WorkDone(bytes: length, total: total))
    }
    try coreResult { () throws(MAMError) in try draft.commit() }
    return length
  }

  /// `nil` unless standard input is a file.
  private static var inputSize: Int? {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// `nil` at the end of the input.
  private static func readInput(_ work: WorkControl) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: pieceLength)
    while true {
      try work.waitForInput(on: STDIN_FILENO)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count >= 0 { return count == 0 ? nil : Array(bytes[..<count]) }
      guard errno == EINTR else {
        let reason = SystemError.current.text
        throw CommandFailure(exitCode: 1, message: "cannot read standard input: \(reason); nothing was changed")
      }
    }
  }
}
