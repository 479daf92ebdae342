import ArgumentParser
import Glibc
import MAM
import Model
import Support

struct WriteFile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Give a file the content of standard input: all of it, or nothing.",
    discussion: """
      The name leads to what it led to before until the input has ended, and whenever the command is killed; what it \
      had written by then is removed at the next start. Encrypted when the policy of the account requires that:

        mambridge files write plan.txt --account alice@contoso.example <plan.txt.new

      A file that is there keeps its mode, ACL and other attributes, but gets a new owner: the account, without one the \
      account whose policy holds for the app. One that is open for writing is left as it is. The end of input looks the \
      same when the program before a pipe has failed, so use the shell's pipefail.
      """)

  private static let pieceLength = 1 << 18

  @Argument(help: "The file.", completion: .file())
  var path: AbsolutePath

  @Option(help: "The owner: an object id or a user principal name; \"\" is nobody.")
  var account: String?

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        try fill()
        return EXIT_SUCCESS
      })
  }

  private func fill() throws {
    let core = try core.arguments.makeCore()
    defer { core.end() }
    let owner = account.map { AccountReference($0) }
    let draft = try coreResult { () throws(MAMError) in try core.files.draft(path, for: owner) }
    while let piece = try Self.readInput() {
      try coreResult { () throws(MAMError) in try draft.append(piece) }
    }
    try coreResult { () throws(MAMError) in try draft.commit() }
  }

  /// Nil at the end.
  private static func readInput() throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: pieceLength)
    while true {
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count >= 0 { return count == 0 ? nil : Array(bytes[..<count]) }
      guard errno == EINTR else {
        let reason = SystemError.current.text
        throw CommandFailure(exitCode: 1, message: "standard input cannot be read: \(reason); nothing was changed")
      }
    }
  }
}
