import ArgumentParser
import Glibc
import JSON
import MAM
import Model

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
