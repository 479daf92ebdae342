/// The manual page of one command, made from the declarations that `--help` shows.
final class ManualPage: Sendable {
  /// The words of the command, beginning with that of the program.
  let words: [String]
  /// The section of the manual, for example 1.
  let section: Int
  private let command: CommandTree

  private init(_ words: [String], section: Int, _ command: CommandTree) {
    self.words = words
    self.section = section
    self.command = command
  }

  /// The pages of the program and of all its commands.
  static func all(of tree: CommandTree, section: Int = 1) -> [ManualPage] {
    ManualPage([tree.name], section: section, tree).withChildren
  }

  private var withChildren: [ManualPage] { [self] + children.flatMap(\.withChildren) }

  private var children: [ManualPage] {
    command.ownSubcommands.map { ManualPage(words + [$0.name], section: section, $0) }
  }

  /// For example `mambridge-files-check`.
  var name: String { words.joined(separator: "-") }

  private var isOfProgram: Bool { words.count == 1 }
  private var discussion: Discussion { Discussion(command.discussion) }

  var roff: String {
    var page = Roff()
    page.line(".\\\" Written by mambridge man. Change the declarations of the command instead.")
    page.line(
      ".TH \(Roff.escaped(name.uppercased())) \(section) \(Mambridge.releaseDate) \"mambridge \(Mambridge.version)\" "
        + (section == 1 ? "\"User Commands\"" : "\"System Administration Commands\""))
    page.line(".SH NAME")
    page.fill("\(name) - \(command.abstract.asTitle)")
    writeSynopsis(to: &page)
    page.line(".SH DESCRIPTION")
    if discussion.description.isEmpty { page.fill(command.abstract) }
    for block in discussion.description { write(block, to: &page) }
    writeCommands(to: &page)
    writeOptions(to: &page)
    writeExitStatus(to: &page)
    writeExamples(to: &page)
    writeReferences(to: &page)
    return page.text
  }

  private func writeSynopsis(to page: inout Roff) {
    page.line(".SH SYNOPSIS")
    if command.defaultSubcommand != nil || children.isEmpty {
      page.line(Roff.bold(words.joined(separator: " ")))
      page.line("[\(Roff.italic("options"))]")
      for argument in command.shownArguments where argument.kind == .positional {
        page.line(argument.synopsis)
      }
    }
    guard !children.isEmpty else { return }
    if command.defaultSubcommand != nil { page.line(".br") }
    page.line(Roff.bold(words.joined(separator: " ")))
    page.line("\(Roff.italic("command")) [\(Roff.italic("options"))] ...")
  }

  private func write(_ block: Discussion.Block, to page: inout Roff) {
    switch block {
    case .paragraph(let text):
      page.startParagraph()
      page.fill(text)
    case .code(let lines): page.code(lines)
    }
  }

  private func writeCommands(to page: inout Roff) {
    guard !children.isEmpty else { return }
    page.line(".SH COMMANDS")
    for child in children {
      page.line(".TP")
      page.line(Roff.bold(child.words.dropFirst(words.count).joined(separator: " ")))
      page.fill(child.command.abstract)
    }
  }

  private func writeOptions(to page: inout Roff) {
    page.line(".SH OPTIONS")
    if let name = command.defaultSubcommand {
      page.fill("Without a command, the options of \(words[0]) \(name) apply, too.")
    }
    let arguments = command.shownArguments
    for argument in arguments where argument.section == nil { write(argument, to: &page) }
    var titles: Set<String> = []
    for title in arguments.compactMap(\.section) where titles.insert(title).inserted {
      page.line(".SS \(title)")
      for argument in arguments where argument.section == title { write(argument, to: &page) }
    }
  }

  private func write(_ argument: CommandArgument, to page: inout Roff) {
    page.line(".TP")
    page.line(argument.heading)
    page.fill(argument.explanation)
  }

  private func writeExitStatus(to page: inout Roff) {
    page.line(".SH EXIT STATUS")
    for exit in discussion.exitCodes {
      page.line(".TP")
      page.line(Roff.bold(exit.code))
      page.fill("\(exit.meaning.withCapital).")
    }
    guard !isOfProgram else { return }
    page.startParagraph()
    page.line(discussion.exitCodes.isEmpty ? "As in" : "For others, see")
    page.line(".BR \(Roff.escaped(words[0])) (\(section)).")
  }

  private func writeExamples(to page: inout Roff) {
    guard !discussion.examples.isEmpty else { return }
    page.line(".SH EXAMPLES")
    for example in discussion.examples {
      page.startParagraph()
      page.fill(example.purpose.hasSuffix("?") ? example.purpose : "\(example.purpose):")
      page.code(example.lines)
    }
  }

  private func writeReferences(to page: inout Roff) {
    let parents = (1..<words.count).map { words.prefix($0).joined(separator: "-") }
    let names = parents + children.flatMap(\.withChildren).map(\.name)
    guard !names.isEmpty else { return }
    page.line(".SH SEE ALSO")
    for (index, name) in names.enumerated() {
      page.line(".BR \(Roff.escaped(name)) (\(section))\(index == names.count - 1 ? "" : ",")")
    }
  }
}

extension CommandArgument {
  fileprivate var synopsis: String {
    let text = Roff.italic(valueName) + (isRepeating ? " ..." : "")
    return isOptional ? "[\(text)]" : text
  }

  fileprivate var heading: String {
    guard kind != .positional else { return Roff.italic(valueName) }
    let names = names.map(Roff.bold).joined(separator: ", ")
    return kind == .option ? "\(names) \(Roff.italic(valueName))" : names
  }

  /// With the values and the default, as in `--help`.
  fileprivate var explanation: String {
    let facts = [
      values.isEmpty ? nil : "values: \(values.joined(separator: ", "))", defaultValue.map { "default: \($0)" },
    ]
    let known = facts.compactMap { $0 }.joined(separator: "; ")
    return known.isEmpty ? text : "\(text) (\(known))"
  }
}

extension String {
  /// An abstract as the title of a page: without a capital letter and a period, but for names such as JSON.
  fileprivate var asTitle: String {
    let title = hasSuffix(".") ? dropLast() : self[...]
    let isName = title.dropFirst().first?.isUppercase == true
    return isName ? String(title) : title.prefix(1).lowercased() + title.dropFirst()
  }

  fileprivate var withCapital: String { prefix(1).uppercased() + dropFirst() }
}
