import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import Support

struct ProtectFiles: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect",
    abstract: "Set the owner of files, and of all files below folders.",
    discussion: """
      Works like fileProtectionManager.protect: a file is encrypted if the owner's policy requires it; otherwise it \
      stays plain, with its owner recorded. An account without a policy is refused unless you pass --allow-plain. Each \
      file is replaced atomically: whatever happens, you have either the old file or the new one. Free blocks of the \
      disk may still hold the old content. Ctrl-C stops the command and removes its temporary file; run the command \
      again to finish.

      Symbolic links inside a folder are skipped, and a path that ends in a symbolic link is refused. A symbolic link \
      in the middle of a path is followed wherever it leads, unless --stay-in names the folder that the path must stay \
      in. The root folder, folders of the system such as /usr and /home, state folders of mambridge (of any user) and \
      file systems such as /proc are refused: each is reported on stderr, and the exit code is 1.

      Examples:

        # Protect all files of a folder
        mambridge files protect inbox --account alice@contoso.example

        # Take the owner off a file, which is then plain
        mambridge files protect plan.txt --account ''
      """)

  @OptionGroup var files: FilePaths

  @Option(help: "The owner: an object id or a user principal name; \"\" means no user.")
  var account: String

  @Option(
    help: ArgumentHelp("Refuse files outside this folder, whatever links lead to them.", valueName: "folder"),
    completion: .directory)
  var stayIn: AbsolutePath?

  @Flag(help: "Allow an owner without a policy. The files stay plain.")
  var allowPlain = false

  @OptionGroup var core: CoreOptions

  func run() throws { throw ExitCode(LongWork(isQuiet: core.quiet).run(on: core.arguments, protect)) }

  private func protect(_ core: Core, _ work: WorkControl) throws -> LongWork.Outcome {
    let owner = AccountReference(account)
    let kind = try OwnerCheck(files: core.files, appId: core.appId, allowsPlain: allowPlain).ownership(of: owner)
    var tally = ProtectionTally()
    let code = files.forEach(work) { path throws(MAMError) in
      try core.files.protectAll(path, for: owner, renewsKey: true, stayingIn: stayIn) { tally.add($0) }
    }
    return LongWork.Outcome(exitCode: code, summary: tally.summary(for: kind, named: owner))
  }
}

struct FilesInfo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the owners of files, as one JSON object per line.",
    discussion: """
      Each object has the path and its protectionInfo, which is null for a file without an owner. Needs no key, and \
      does not read the content.

      Examples:

        # Whose files are these?
        mambridge files info inbox/* |
          jq -r '"\\(.path) \\(.protectionInfo.identity)"'
      """)

  @OptionGroup var files: FilePaths
  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func run() throws { throw ExitCode(LongWork(isQuiet: core.quiet).run(on: core.arguments, printOwners)) }

  private func printOwners(_ core: Core, _ work: WorkControl) throws -> LongWork.Outcome {
    var (lines, infos) = ("", [] as [FileProtectionInfo?])
    let code = files.forEach(work) { path throws(MAMError) in
      let info = try core.files.protectionInfo(ofFile: path)
      infos.append(info)
      lines += output.text(of: Self.line(path, info)) + "\n"
    }
    try printResult(lines)
    return LongWork.Outcome(exitCode: code, summary: Self.summary(infos))
  }

  private static func line(_ path: AbsolutePath, _ info: FileProtectionInfo?) -> JSONValue {
    ["path": .string(path.text), "protectionInfo": info?.jsonValue ?? .null]
  }

  /// For example `3 files: 2 encrypted, 1 plain with an owner, 0 without an owner`.
  private static func summary(_ infos: [FileProtectionInfo?]) -> String {
    let owned = infos.compactMap { $0 }
    let encrypted = owned.count { $0.isEncrypted }
    return "\(infos.count.files): \(encrypted) encrypted, \(owned.count - encrypted) plain with an owner, "
      + "\(infos.count - owned.count) without an owner"
  }
}
