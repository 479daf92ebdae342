import ArgumentParser

struct Files: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "files",
    abstract: "Work with protected files from a shell, under the policies that hold for the app.",
    discussion: """
      What the app of --app-id may not read or protect over the wire, it may not here either. Content and findings go to \
      stdout, words to stderr. Exit code 1: something could not be done, or is damaged; the other paths are done.
      """,
    subcommands: [
      CheckFiles.self, ExportFile.self, ProtectFiles.self, CatFile.self, WriteFile.self, FilesInfo.self,
    ])
}
