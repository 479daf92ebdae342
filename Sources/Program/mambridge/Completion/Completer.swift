import Bridge
import JSON
import JSONRPC
import Model

/// What may come next on a command line.
enum Completion: Equatable {
  struct Candidate: Equatable {
    let text: String
    var summary = ""
  }

  /// Whole words. After one that ends with `=` or `@`, the word goes on.
  case words([Candidate])
  /// Paths after the prefix, which is a part of the word.
  case files(prefix: String)
  case folders(prefix: String)
}

/// Completes one command line from the declarations of the commands and from the schema.
final class Completer {
  private let tree: CommandTree
  /// The command that the words so far have named.
  private var command: CommandTree
  /// The option whose value comes next.
  private var pending: CommandArgument?
  private var positionals: [String] = []
  private var usedOptions: Set<String> = []
  private var isAfterTerminator = false
  private var isHelp = false

  init(_ tree: CommandTree) {
    self.tree = tree
    command = tree
  }

  /// `words` are those after the name of the program; the last one is completed.
  func completion(of words: [String]) -> Completion {
    for word in words.dropLast() { take(word) }
    return complete(words.last ?? "")
  }

  private func take(_ word: String) {
    if pending != nil {
      pending = nil
    } else if !isAfterTerminator, word.hasPrefix("-"), word != "-" {
      takeOption(word)
    } else if let next = subcommand(word) {
      command = next
    } else if word == CommandTree.help, command.name == tree.name {
      isHelp = true
    } else {
      positionals.append(word)
    }
  }

  private func takeOption(_ word: String) {
    guard word != "--" else { return isAfterTerminator = true }
    let name = String(word.prefix { $0 != "=" })
    guard let option = option(name) else { return }
    usedOptions.formUnion(option.names)
    if option.kind == .option && !word.contains("=") { pending = option }
  }

  private func subcommand(_ name: String) -> CommandTree? {
    positionals.isEmpty ? command.ownSubcommands.first { $0.name == name } : nil
  }

  /// An option may come before its command.
  private func option(_ name: String) -> CommandArgument? {
    command.withSubcommands.lazy.flatMap(\.arguments).first { $0.names.contains(name) }
  }

  private func complete(_ word: String) -> Completion {
    if let pending { return values(of: pending, after: "", word) }
    if !isAfterTerminator, word.hasPrefix("-") {
      guard let equals = word.firstIndex(of: "=") else { return .words(options.starting(with: word)) }
      let value = word.index(after: equals)
      guard let option = option(String(word[..<equals])), option.kind == .option else { return .words([]) }
      return values(of: option, after: String(word[..<value]), word)
    }
    let completion = positional(word)
    // Where no argument follows, the options are the only choice.
    return completion == .words([]) && word.isEmpty && !isAfterTerminator ? .words(options) : completion
  }

  /// Those of the command that can still be given. Without a command, those of the default command, too.
  private var options: [Completion.Candidate] {
    guard !isHelp else { return [] }
    let standIn = command.subcommands.first { $0.name == command.defaultSubcommand }
    var names: Set<String> = []
    return (command.shownArguments + (standIn?.shownArguments ?? [])).flatMap { argument -> [Completion.Candidate] in
      guard argument.isRepeating || usedOptions.isDisjoint(with: argument.names) else { return [] }
      return argument.names.filter { names.insert($0).inserted }.map { .init(text: $0, summary: argument.text) }
    }
  }

  private func positional(_ word: String) -> Completion {
    let commands = command.ownSubcommands
    guard commands.isEmpty else {
      return .words(positionals.isEmpty ? Self.names(of: commands).starting(with: word) : [])
    }
    if let method = positionals.first,
      [Call.configuration.commandName, Explain.configuration.commandName].contains(command.name)
    {
      return ParameterCompletion(method)?.completion(of: word, after: positionals.dropFirst()) ?? .words([])
    }
    if command.name == ShowManual.configuration.commandName {
      let parent = positionals.reduce(tree) { node, name in node?.ownSubcommands.first { $0.name == name } }
      return .words(Self.names(of: parent?.ownSubcommands ?? []).starting(with: word))
    }
    let arguments = command.shownArguments.filter { $0.kind == .positional }
    let next = positionals.count < arguments.count ? arguments[positionals.count] : arguments.last { $0.isRepeating }
    return next.map { values(of: $0, after: "", word) } ?? .words([])
  }

  private static func names(of commands: [CommandTree]) -> [Completion.Candidate] {
    commands.map { .init(text: $0.name, summary: $0.abstract) }
  }

  /// `prefix` is the part of the word before the value, such as `--clock=`.
  private func values(of argument: CommandArgument, after prefix: String, _ word: String) -> Completion {
    switch argument.completion {
    case .file: return .files(prefix: prefix)
    case .folder: return .folders(prefix: prefix)
    case .words(let words):
      let summaries = argument.kind == .positional ? API.summaries : [:]
      let candidates = words.map { Completion.Candidate(text: prefix + $0, summary: summaries[$0] ?? "") }
      return .words(candidates.starting(with: word))
    case .none:
      return .words(
        Self.pairs(for: argument).map { .init(text: prefix + $0.text, summary: $0.summary) }.starting(with: word))
    }
  }

  /// The names in options that take `name=value`.
  private static func pairs(for argument: CommandArgument) -> [Completion.Candidate] {
    switch argument.names.first {
    case "--set": SettingKey.allCases.map { .init(text: "\($0.name)=", summary: $0.meaning) }
    case "--limit": LimitName.allCases.map { .init(text: "\($0.rawValue)=") }
    default: []
    }
  }
}

extension API {
  /// The summary of each method, by its name.
  fileprivate static var summaries: [String: String] {
    Dictionary(methods.map { ($0.name, $0.summary) }) { first, _ in first }
  }
}

extension CommandTree {
  fileprivate var withSubcommands: [CommandTree] { [self] + subcommands.flatMap(\.withSubcommands) }
}

extension [Completion.Candidate] {
  func starting(with word: String) -> [Completion.Candidate] { filter { $0.text.hasPrefix(word) } }
}
