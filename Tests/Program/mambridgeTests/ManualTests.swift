import Support
import TestSupport
import Testing

@testable import mambridge

/// The manual pages. `clients/tests/test_manual.py` runs their examples and checks them with mandoc.
@Suite(.ownThreads) struct ManualTests {
  private static let pages = CommandTree(of: Mambridge.self).map { ManualPage.all(of: $0) } ?? []

  @Test("man --into writes one page per command, with the same bytes each time")
  func files() throws {
    let folder = TemporaryFolder()
    let names = Self.pages.map { "\($0.name).1" }
    #expect(names.contains("mambridge.1"))
    #expect(names.contains("mambridge-files-check.1"))
    #expect(names.count > 20)
    let place = folder.file("share/man1")
    for _ in 1...2 {
      let outcome = try Program.run(["man", "--into", place])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output == "", "\(outcome)")
      #expect(outcome.errors == "", "\(outcome)")
      #expect(try Subprocess.run("/bin/ls", ["-A", place]).lines.sorted() == names.sorted())
      for page in Self.pages { #expect(try FileContents.read("\(place)/\(page.name).1") == Array(page.roff.utf8)) }
    }
    #expect(try Subprocess.run("/usr/bin/stat", ["-c", "%a", "\(place)/mambridge.1"]).output == "644\n")
  }

  @Test("man prints the page of a command, and exits with 64 if the command is unknown")
  func printed() throws {
    #expect(try Program.run(["man"]).output == Self.pages.first?.roff)
    let page = try #require(Self.pages.first { $0.name == "mambridge-files-check" })
    #expect(try Program.run(["man", "files", "check"]).output == page.roff)
    let outcome = try Program.run(["man", "files", "chek"])
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("\"files chek\""))
    #expect(try Program.run(["man", "call", "--into", "x"]).status == 64)
  }

  @Test("man --into names the folder that it cannot write to")
  func unwritable() throws {
    let folder = TemporaryFolder()
    let outcome = try Program.run(["man", "--into", folder.write("text", to: "file")])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("cannot write the pages to \(folder.file("file"))"), "\(outcome.errors)")
  }

  @Test("A manual page lists the options of its command, with their values and defaults")
  func options() throws {
    let page = try #require(Self.pages.first { $0.name == "mambridge-log" }).roff
    for text in [
      "\\fB\\-f\\fR, \\fB\\-\\-follow\\fR", "\\fB\\-\\-level\\fR \\fIlevel\\fR",
      "values: verbose, info, warning, error",
      "default: auto", ".SH EXAMPLES", ".BR mambridge (1)",
    ] {
      #expect(page.contains(text), "\(text)")
    }
    let other = try #require(Self.pages.first { $0.name == "mambridge-keys-change-secret" }).roff
    #expect(other.contains(".SS New secret\n.TP\n\\fB\\-\\-new\\-key\\-file\\fR"))
    let configure = try #require(Self.pages.first { $0.name == "mambridge-configure" }).roff
    #expect(!configure.contains("fB\\-generateOpenInIcons"))
  }

  @Test("The help of every command without subcommands has an example")
  func examples() throws {
    func commands(_ tree: CommandTree) -> [CommandTree] {
      tree.ownSubcommands.isEmpty ? [tree] : tree.ownSubcommands.flatMap(commands)
    }
    let tree = try #require(CommandTree(of: Mambridge.self))
    for command in commands(tree) {
      let examples = Discussion(command.discussion).examples
      #expect(!examples.isEmpty, "\(command.name)")
      #expect(examples.allSatisfy { !$0.purpose.isEmpty && !$0.lines.isEmpty }, "\(command.name)")
    }
  }

  @Test("Discussion parses a help text into paragraphs, code, exit codes and examples")
  func discussion() {
    let discussion = Discussion(
      """
      First.

        code

        more

      Exit codes: 0 done, or so; 129, 130 or 143 stopped.

      Last.

      Examples:

        # What
        # for
        a \\
          b

        # Why
        c
      """)
    #expect(discussion.description == [.paragraph("First."), .code(["code", "", "more"]), .paragraph("Last.")])
    #expect(
      discussion.exitCodes == [
        .init(code: "0", meaning: "done, or so"), .init(code: "129, 130 or 143", meaning: "stopped"),
      ])
    #expect(
      discussion.examples == [.init(purpose: "What for", lines: ["a \\", "  b"]), .init(purpose: "Why", lines: ["c"])])
  }

  @Test("Manual pages escape text for roff and wrap lines at 80 columns")
  func roff() {
    #expect(Roff.escaped("a-b 'c' \\n ~ … ^`") == "a\\-b \\(aqc\\(aq \\en \\(ti \\[u2026] \\(ha\\(ga")
    var page = Roff()
    page.fill("One. Two --all, " + String(repeating: "word ", count: 20) + ".gz")
    let lines = page.text.split(separator: "\n")
    #expect(lines[0] == "One.")
    #expect(lines[1].hasPrefix("Two \\fB\\-\\-all\\fR, word"))
    #expect(lines.allSatisfy { $0.utf8.count <= 80 && !$0.hasPrefix(".gz") })
  }

  @Test("The release date in the manual pages is the one in CHANGELOG.md")
  func date() throws {
    let changelog = try #require(Checkout.text("CHANGELOG.md"))
    #expect(changelog.contains("\n## [\(Mambridge.version)] - \(Mambridge.releaseDate)\n"))
  }
}
