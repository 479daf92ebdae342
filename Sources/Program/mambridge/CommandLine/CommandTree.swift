import ArgumentParser
import JSON
import Model

/// A command with its arguments and subcommands, as the command-line parser knows them.
final class CommandTree: Sendable {
  static let help = "help"

  let name: String
  let abstract: String
  let discussion: String
  /// The command that runs if the command line names none.
  let defaultSubcommand: String?
  let subcommands: [CommandTree]
  let arguments: [CommandArgument]
  let isHidden: Bool

  /// `nil` if the parser describes itself in a way that this program does not know.
  convenience init?(of command: (some ParsableCommand).Type) { self.init(description: command._dumpHelp()) }

  /// From what `PROGRAM --experimental-dump-help` prints.
  convenience init?(description: String) {
    guard let description = try? JSONValue(parsing: description), let root = description["command"] else { return nil }
    self.init(root)
  }

  private init(_ command: JSONValue) {
    name = command["commandName"]?.stringValue ?? ""
    abstract = command["abstract"]?.stringValue ?? ""
    discussion = command["discussion"]?.stringValue ?? ""
    defaultSubcommand = command["defaultSubcommand"]?.stringValue
    subcommands = (command["subcommands"]?.arrayValue ?? []).map { CommandTree($0) }
    isHidden = command["shouldDisplay"] == false
    arguments = (command["arguments"]?.arrayValue ?? []).compactMap { CommandArgument($0) }
  }

  /// Each option as it is typed, and whether a value follows it.
  var options: [String: Bool] {
    arguments.reduce(into: [:]) { options, argument in
      for name in argument.names { options[name] = argument.kind == .option }
    }
  }

  /// The arguments that the help shows.
  var shownArguments: [CommandArgument] { arguments.filter { !$0.isHidden } }

  /// The subcommands that the help shows, but for `help`, which the parser adds.
  var ownSubcommands: [CommandTree] { subcommands.filter { $0.name != Self.help && !$0.isHidden } }

  /// The options of this command and of all commands below it.
  private var allOptions: [String: Bool] {
    subcommands.reduce(options) { options, command in options.merging(command.allOptions) { first, _ in first } }
  }

  /// Moves the names of subcommands before the options in front of them, so that `--state x files --json check` is
  /// `files check --state x --json`, and `help files` is `files --help`. Throws for a name that is no subcommand.
  func ordered(_ words: [String]) throws(UnknownCommand) -> [String] {
    guard !subcommands.isEmpty, let index = firstPositional(of: words) else { return words }
    var rest = words
    let name = rest.remove(at: index)
    if name == Self.help { return try ordered(rest).prefix { !$0.hasPrefix("-") } + ["--help"] }
    guard let command = subcommands.first(where: { $0.name == name }) else {
      throw UnknownCommand(name: name, parent: self)
    }
    return [command.name] + (try command.ordered(rest))
  }

  /// The command that the words name, and its first positional argument.
  func target(of words: [String]) -> (command: CommandTree, positional: String?) {
    if let first = words.first, let command = subcommands.first(where: { $0.name == first }) {
      return command.target(of: Array(words.dropFirst()))
    }
    return (self, firstPositional(of: words).map { words[$0] })
  }

  /// The place of the first word that is neither an option nor the value of one; `nil` if there is none, or if an
  /// unknown option comes first, which the parser reports.
  private func firstPositional(of words: [String]) -> Int? {
    let options = allOptions
    var index = 0
    while index < words.count {
      let word = words[index]
      guard word.hasPrefix("-"), word != "-" else { return index }
      guard word != "--" else { return nil }
      let isWhole = !word.contains("=")
      guard let takesValue = options[String(word.prefix { $0 != "=" })] else { return nil }
      index += takesValue && isWhole ? 2 : 1
    }
    return nil
  }
}

/// A positional argument, an option or a flag of a command.
final class CommandArgument: Sendable {
  enum Kind: String { case positional, option, flag }

  enum Completion: Sendable { case none, words([String]), file, folder }

  let kind: Kind
  /// As they are typed, such as `-f` and `--follow`; empty for a positional argument.
  let names: [String]
  let valueName: String
  let text: String
  /// The allowed values; empty if there is no list of them.
  let values: [String]
  let defaultValue: String?
  /// The title of the group of options that this one belongs to; `nil` for the main group.
  let section: String?
  let isOptional: Bool
  let isRepeating: Bool
  let isHidden: Bool
  let completion: Completion

  /// `nil` for an argument of a kind that this program does not know.
  fileprivate init?(_ argument: JSONValue) {
    guard let kind = argument["kind"]?.stringValue.flatMap(Kind.init) else { return nil }
    self.kind = kind
    names = (argument["names"]?.arrayValue ?? []).map { name in
      (name["kind"] == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
    }
    valueName = argument["valueName"]?.stringValue ?? ""
    text = argument["abstract"]?.stringValue ?? ""
    values = argument["allValues"]?.strings ?? []
    defaultValue = argument["defaultValue"]?.stringValue
    section = argument["sectionTitle"]?.stringValue
    isOptional = argument["isOptional"] == true
    isRepeating = argument["isRepeating"] == true
    isHidden = argument["shouldDisplay"] != true
    completion = Self.completion(argument["completionKind"])
  }

  private static func completion(_ kind: JSONValue?) -> Completion {
    if let words = kind?["list"]?["values"]?.strings { return .words(words) }
    if kind?["file"] != nil { return .file }
    return kind?["directory"] != nil ? .folder : .none
  }
}

/// A word where a subcommand was expected.
struct UnknownCommand: Error, CustomStringConvertible {
  let name: String
  let parent: CommandTree

  /// Names the nearest subcommand, also for the start of one: "diag" for "diagnostics".
  var description: String {
    let names = parent.subcommands.map(\.name)
    let started = names.filter { !name.isEmpty && $0.hasPrefix(name) }
    let nearest = started.count == 1 ? started.first : names.nearest(to: name)
    let isRoot = parent.name == Mambridge.configuration.commandName
    let path = isRoot ? parent.name : "\(Mambridge.configuration.commandName ?? "") \(parent.name)"
    let suggestion = nearest.map { "Did you mean \"\(path) \($0)\"? " } ?? ""
    let method = isRoot && name.contains(".") ? "To call a method, use \"\(path) call \(name)\". " : ""
    return """
      "\(name.shown)" is not a command. \(suggestion)\(method)\
      "\(path) --help" lists the commands
      """
  }
}
