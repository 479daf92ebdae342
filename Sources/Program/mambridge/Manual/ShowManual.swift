import ArgumentParser
import Glibc
import Model
import Support

struct ShowManual: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "man",
    abstract: "Print a manual page, or write all of them to a folder.",
    discussion: """
      Prints the page of mambridge, or of the command that you name, in roff: the input of man. With --into, writes the \
      pages of mambridge and of all its commands, for example mambridge-files-check.1, and replaces older ones.

      Examples:

        # Read the page of a command
        mambridge man files protect | man -l -

        # Install the pages for yourself
        mambridge man --into ~/.local/share/man/man1
        man mambridge-call
      """)

  @Argument(help: "The command, for example files protect.")
  var command: [String] = []

  @Option(
    name: .customLong("into"),
    help: ArgumentHelp("Write all pages to this folder, which is created if it is missing.", valueName: "folder"),
    completion: .directory)
  var folder: AbsolutePath?

  /// For scripts/release, which makes the pages of mambridge-tenant. They are in section 8, because mambridge has commands
  /// like `mambridge tenant check`, whose pages have the same names.
  @Option(help: ArgumentHelp("Another program, which has described itself in this file.", visibility: .hidden))
  var described: AbsolutePath?

  func validate() throws {
    guard folder == nil || command.isEmpty else {
      throw ValidationError("--into writes the pages of all commands: leave out \(command.joined(separator: " ")).")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let pages = try pages
        if let folder { try write(pages, to: folder.text) } else { try printResult(page(of: pages).roff) }
        return EXIT_SUCCESS
      })
  }

  private var pages: [ManualPage] {
    get throws {
      guard let described else { return CommandTree(of: Mambridge.self).map { ManualPage.all(of: $0) } ?? [] }
      let description: [UInt8]
      do throws(SystemError) {
        description = try FileContents.read(described.text)
      } catch {
        throw CommandFailure(exitCode: 1, message: "cannot read \(described.text.shown): \(error.text)")
      }
      guard let tree = CommandTree(description: String(decoding: description, as: UTF8.self)) else {
        throw CommandFailure(exitCode: 65, message: "\(described.text.shown) does not describe a program")
      }
      return ManualPage.all(of: tree, section: 8)
    }
  }

  private func page(of pages: [ManualPage]) throws -> ManualPage {
    if let page = pages.first(where: { $0.words.dropFirst().elementsEqual(command) }) { return page }
    let name = command.joined(separator: " ").shown
    throw CommandFailure(
      exitCode: 64, message: "there is no command \"\(name)\". mambridge --help lists the commands")
  }

  private func write(_ pages: [ManualPage], to folder: String) throws {
    do throws(SystemError) {
      let descriptor = try Self.openFolder(folder)
      defer { close(descriptor) }
      for page in pages { try Self.write(page, in: descriptor) }
    } catch {
      throw CommandFailure(exitCode: 1, message: "cannot write the pages to \(folder.shown): \(error.text)")
    }
  }

  /// Creates missing folders, for all users to read.
  private static func openFolder(_ path: String) throws(SystemError) -> Int32 {
    for end in path.indices.dropFirst() where path[end] == "/" { mkdir(String(path[..<end]), 0o755) }
    mkdir(path, 0o755)
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    return descriptor
  }

  private static func write(_ page: ManualPage, in folder: Int32) throws(SystemError) {
    let name = "\(page.name).\(page.section)"
    let file = try NewFile(in: folder, draft: ".\(name).tmp")
    try file.append(Array(page.roff.utf8))
    try file.setMode(0o644)
    try file.replace(name)
  }
}
