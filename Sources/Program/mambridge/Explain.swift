import ArgumentParser
import Bridge
import JSON

struct Explain: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain the answer to a policy question, the decision about an action, or a conditional launch.",
    discussion: """
      Pass the question and its parameters as for mambridge call, also from a file or from standard input. Prints one \
      sentence per line, the answer first. For a conditional launch, the rules that demand something follow; --all adds \
      those that passed. Nobody is asked and nothing is wiped: what a launch would do is foreseen. --change prints which \
      settings would have to have other values for another answer.

      The sentences go to stdout (exit code 0). An error goes to stderr as JSON (exit code 1).

      Examples:

        # Why may this data not be saved there?
        mambridge explain policy.isSaveToAllowedForLocation \\
          location=dropbox account=alice@contoso.example

        # Why may the account's data not be shown?
        mambridge explain conditionalLaunch.evaluate \\
          account=alice@contoso.example

        # What would have to change?
        mambridge explain --change policy.isPINRequired \\
          account=alice@contoso.example

        # The reasons for a program
        mambridge explain enforcement.openURL url=tel:+1 --json
      """)

  @Argument(
    help: "A policy.* question, an enforcement.* action, or conditionalLaunch.evaluate or didBecomeActive.",
    completion: .list(questions))
  var query: String

  @Argument(help: ArgumentHelp("The method's parameters.", valueName: "name=value | json | -"))
  var parameters: [String] = []

  @Flag(help: "For a conditional launch, also print the rules that passed or do not apply.")
  var all = false

  @Flag(help: "Print which settings would have to have other values for another answer.")
  var change = false

  @Flag(help: "Print the result of policy.explain, or with --change of policy.whatWouldChange, as JSON.")
  var json = false

  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  private static let questions =
    API.methods.map { $0.name }.filter {
      ($0.hasPrefix("policy.") || $0.hasPrefix("enforcement.")) && $0 != API.explanation && $0 != API.changeSearch
    } + API.launches

  func validate() throws {
    try checkInput(parameters)
    guard !all || !change else { throw ValidationError("--all is for reasons. Leave out --change.") }
  }

  func run() throws {
    throw ExitCode(
      ask {
        try CallRequest(explaining: query, parameters: parameters, by: change ? API.changeSearch : API.explanation)
      } show: { result in
        if json { return output.text(of: result) }
        return (change ? Self.changes(result) : sentences(result)).joined(separator: "\n")
      })
  }

  /// Without --all, the rules that demand nothing are only counted.
  private func sentences(_ result: JSONValue) -> [String] {
    let steps = result["because"]?.arrayValue ?? []
    let rules = API.launches.contains(query) ? result["verdict"]?["rules"]?.arrayValue ?? [] : []
    let calm = rules.filter { $0["outcome"] == "passed" || $0["outcome"] == "notApplicable" }
    guard !all, !calm.isEmpty else { return steps.compactMap { $0["text"]?.stringValue } }
    let hidden = calm.count == 1 ? "1 rule demands" : "\(calm.count) rules demand"
    let shown = steps.filter { step in
      step["step"] != "rule" || !calm.contains { $0["setting"] == step["setting"] && $0["text"] == step["text"] }
    }
    return shown.compactMap { $0["text"]?.stringValue } + ["\(hidden) nothing; --all shows what passed."]
  }

  /// What was found, and then each change. Settings that must change together are on one line.
  private static func changes(_ result: JSONValue) -> [String] {
    let changes = (result["changes"]?.arrayValue ?? []).map { change in
      (change["settings"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }.joined(separator: " ")
    }
    return [result["text"]?.stringValue].compactMap(\.self) + changes
  }
}
