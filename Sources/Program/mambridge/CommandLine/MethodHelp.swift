import Bridge
import Glibc
import JSON
import Support

/// The help of one method, from the schema: `mambridge call METHOD --help`.
struct MethodHelp {
  private static let errorsShown = 40

  private let item: JSONValue
  private let words: SchemaWords
  private let terminal: Terminal

  init(_ item: JSONValue, on terminal: Terminal) {
    self.item = item
    words = SchemaWords(components: item["components"]?["schemas"]?.objectValue ?? [:])
    self.terminal = terminal
  }

  /// What the command line asks for.
  struct Request: Equatable {
    let method: String
    let color: ColorChoice

    /// `nil` unless the words ask for the help of a method.
    init?(_ words: [String]) {
      let options = words.prefix { $0 != "--" }
      guard words.first == Call.configuration.commandName, options.contains("--help") || options.contains("-h") else {
        return nil
      }
      let others = words.filter { $0 != "--help" && $0 != "-h" }
      guard let method = CommandTree(of: Mambridge.self)?.target(of: others).positional else { return nil }
      self.method = method
      color = ColorChoice.allCases.first { Self.holds("--color", $0.rawValue, words) } ?? .auto
    }

    private static func holds(_ option: String, _ value: String, _ words: [String]) -> Bool {
      words.contains("\(option)=\(value)") || zip(words, words.dropFirst()).contains { $0 == (option, value) }
    }
  }

  /// Prints the help and returns the exit code.
  static func show(_ request: Request) -> Int32 {
    reportingFailure {
      signal(SIGPIPE, SIG_IGN)
      let help = MethodHelp(
        .object(try Schema.item(named: request.method)), on: .standardOutput(request.color, otherwise: 80))
      try printResult(help.lines.joined(separator: "\n") + "\n")
      return EXIT_SUCCESS
    }
  }

  private var name: String { item["name"]?.stringValue ?? "" }
  private var params: [JSONValue] { item["params"]?.arrayValue ?? [] }
  /// Events have no result and cannot be called.
  private var isMethod: Bool { item["result"] != nil && item["x-default"] == nil }

  var lines: [String] {
    var lines = [terminal.styled(name, .title)] + wrapped(text("summary"))
    if !text("description").isEmpty { lines += [""] + wrapped(text("description")) }
    lines += section("PARAMETERS", parameterLines) + section("RESULT", resultLines)
    if isMethod { lines += section("EXAMPLE", exampleLines) }
    lines += section("ERRORS", errorLines)
    return lines + section("SDK MEMBERS", (item["x-sdk-members"]?.strings ?? []).flatMap { indented($0) })
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", terminal.styled(title, .title)] + lines
  }

  private func text(_ member: String) -> String { item[member]?.stringValue ?? "" }

  private func wrapped(_ text: String) -> [String] { text.wrapped(to: terminal.width) }

  private func indented(_ text: String) -> [String] {
    text.wrapped(to: max(1, terminal.width - DefinitionList.indent)).map { "  " + $0 }
  }

  private var parameterLines: [String] {
    guard !params.isEmpty else { return ["  none"] }
    var list = DefinitionList(width: terminal.width)
    var explained: Set<String> = []
    for param in params {
      let schema = param["schema"] ?? .null
      let need =
        param["required"] == true ? "required" : schema["default"].map { "default \($0.jsonText)" } ?? "optional"
      var text = ["\(words.type(of: schema)); \(need)", param["summary"]?.stringValue ?? ""]
      if let (name, meaning) = words.explanation(of: schema), explained.insert(name).inserted { text.append(meaning) }
      list.add(param["name"]?.stringValue ?? "", text)
    }
    return list.lines(terminal.styled)
  }

  private var resultLines: [String] {
    guard let result = item["result"] else { return [] }
    let schema = result["schema"] ?? .null
    var list = DefinitionList(width: terminal.width)
    for (name, member) in words.members(of: schema) {
      list.add(name, [words.type(of: member), words.description(of: member)])
    }
    let (type, summary) = (words.type(of: schema), result["summary"]?.stringValue ?? "")
    let isSame = summary.lowercased() == "\(type)."
    return indented(isSame ? type : "\(type). \(summary)") + list.lines(terminal.styled)
  }

  private var errorLines: [String] {
    var list = DefinitionList(width: terminal.width)
    for error in (item["components"]?["errors"]?.objectValue?.members ?? []).map(\.value).prefix(Self.errorsShown) {
      let name = error["data"]?["name"]?.stringValue ?? ""
      list.add("\(error["code"]?.jsonText ?? "") \(name)", [error["message"]?.stringValue ?? ""])
    }
    return list.lines(terminal.styled)
  }

  /// The command line and its result. Not wrapped, so that it can be copied.
  private var exampleLines: [String] {
    guard let example = item["examples"]?.arrayValue?.first else { return [] }
    let forms = API.allMethods.first { $0.name == name }.map { ParameterForms($0) } ?? ParameterForms()
    let arguments = (example["params"]?.arrayValue ?? []).map { param in
      forms.argument(param["name"]?.stringValue ?? "", param["value"] ?? .null)
    }
    let result = JSONLayout(isIndented: true).text(of: example["result"]?["value"] ?? .null)
    return command(arguments) + result.split(separator: "\n").map { "  " + $0 }
  }

  /// On one line if it fits, and otherwise with one argument on each line.
  private func command(_ arguments: [String]) -> [String] {
    let words = ["mambridge call \(name)"] + arguments
    let line = "  " + words.joined(separator: " ")
    guard line.columns > terminal.width else { return [line] }
    return words.enumerated().map { index, word in
      (index == 0 ? "  " : "    ") + word + (index == words.count - 1 ? "" : " \\")
    }
  }
}

extension ParameterForms {
  /// The argument that gives a parameter this value, quoted for a shell.
  fileprivate func argument(_ name: String, _ value: JSONValue) -> String {
    if case .string(let text) = value, !text.hasPrefix("@"), (try? self.value(text, for: name)) == value {
      return "\(name)=\(text)".quotedForShell
    }
    return "\(name):=\(value.jsonText)".quotedForShell
  }
}

extension String {
  /// The word as a shell reads it back.
  var quotedForShell: String {
    let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:=@,+%".contains($0)) }
    guard !isPlain || isEmpty else { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
