import ArgumentParser
import Glibc
import JSON
import MAM
import Model

struct ProtectFiles: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect",
    abstract: "Set the owner of files, and of all files below folders.",
    discussion: """
      Works like fileProtectionManager.protect: a file is encrypted if the owner's policy requires it; otherwise it \
      stays plain, with its owner recorded. Each file is replaced atomically: whatever happens, you have either the old \
      file or the new one. Free blocks of the disk may still hold the old content. If the command is interrupted, run it \
      again to finish.

      Symbolic links inside a folder are skipped, and a path that ends in a symbolic link is refused. A symbolic link \
      in the middle of a path is followed wherever it leads, unless --stay-in names the folder that the path must stay \
      in. State folders of mambridge (of any user) and file systems such as /proc and /sys are left alone: each is \
      reported on stderr, and the exit code is 1.
      """)

  @OptionGroup var files: FilePaths

  @Option(help: "The owner: an object id or a user principal name; \"\" means no user.")
  var account: String

  @Option(
    help: ArgumentHelp("Refuse files outside this folder, whatever links lead to them.", valueName: "folder"),
    completion: .directory)
  var stayIn: AbsolutePath?

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        let core = try core.arguments.makeCore()
        defer { core.end() }
        let owner = AccountReference(account)
        return files.forEach { path throws(MAMError) in
          try core.files.protectAll(path, for: owner, renewsKey: true, stayingIn: stayIn)
        }
      })
  }
}

struct FilesInfo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the owners of files, as one JSON object per line.",
    discussion: """
      Each object has the path and its protectionInfo, which is null for a file without an owner. Needs no key, and \
      does not read the content.
      """)

  @OptionGroup var files: FilePaths
  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        let core = try core.arguments.makeCore()
        defer { core.end() }
        var lines = ""
        let code = files.forEach { path throws(MAMError) in
          let info = try core.files.protectionInfo(ofFile: path)
          lines += Self.line(path, info) + "\n"
        }
        try printResult(lines)
        return code
      })
  }

  private static func line(_ path: AbsolutePath, _ info: FileProtectionInfo?) -> String {
    JSONValue.object(["path": .string(path.text), "protectionInfo": info?.jsonValue ?? .null]).jsonText
  }
}
