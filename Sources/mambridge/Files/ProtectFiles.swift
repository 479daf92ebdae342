import ArgumentParser
import Glibc
import JSON
import MAM
import Model

struct ProtectFiles: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect",
    abstract: "Give files, and every file below folders, an owner.",
    discussion: """
      As fileProtectionManager.protect: encrypted when the owner's policy requires it, else plain and owned; each file \
      is replaced at once, the old one or the new one whatever happens. Free blocks of the disk may still hold the old \
      content. Repeated, it does what is still to be done.

      A symbolic link that is named, or found in a folder, is left out; one in the middle of a path is followed, wherever \
      it leads, unless --stay-in names the folder that it must stay in. State folders of mambridge, whoever's they are, \
      and /proc, /sys and the like are left alone: each is named on stderr, and the exit status is 1.
      """)

  @OptionGroup var files: FilePaths

  @Option(help: "The owner: an object id or a user principal name; \"\" is nobody.")
  var account: String

  @Option(
    help: ArgumentHelp("Leave out what does not lie in this folder, whatever links lead to it.", valueName: "folder"),
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
    abstract: "Print whom files belong to, as one JSON object a line.",
    discussion: """
      Each has the path and protectionInfo, null for nobody's file. Needs no key, and reads no content.
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
