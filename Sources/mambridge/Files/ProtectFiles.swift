import ArgumentParser
import MAM
import Model

struct ProtectFiles: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect",
    abstract: "Give files, and every file below folders, an owner.",
    discussion: """
      As fileProtectionManager.protect: encrypted when the owner's policy requires it, else plain and owned; each file \
      is replaced at once, the old one or the new one whatever happens. Free blocks of the disk may still hold the old \
      content. Links are not followed. Repeated, it does what is still to be done.
      """)

  @OptionGroup var files: FilePaths

  @Option(help: "The owner: an object id or a user principal name; \"\" is nobody.")
  var account: String

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        let core = try core.arguments.makeCore()
        let owner = AccountReference(account)
        return files.forEach { path throws(MAMError) in try core.protectFiles(path, for: owner, renewsKey: true) }
      })
  }
}
