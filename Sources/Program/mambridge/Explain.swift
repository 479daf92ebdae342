import ArgumentParser
import Bridge
import JSON

struct Explain: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain the answer to a policy question or the decision about an action.",
    discussion: """
      Pass the question and its parameters as for mambridge call, also from a file or from standard input. Prints one \
      sentence per line, the answer first.

      The sentences go to stdout (exit code 0). An error goes to stderr as JSON (exit code 1).

      Examples:

        # Why may this data not be saved there?
        mambridge explain policy.isSaveToAllowedForLocation \\
          location=dropbox account=alice@contoso.example

        # The same for a program that reads the reasons
        mambridge explain enforcement.openURL url=tel:+1 --json
      """)

  @Argument(help: "The method to explain: one of policy.* or enforcement.*.", completion: .list(questions))
  var query: String

  @Argument(help: ArgumentHelp("The method's parameters.", valueName: "name=value | json | -"))
  var parameters: [String] = []

  @Flag(help: "Print the result of policy.explain as JSON.")
  var json = false

  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  private static let questions = API.methods.map { $0.name }.filter {
    ($0.hasPrefix("policy.") || $0.hasPrefix("enforcement.")) && $0 != API.explanation
  }

  func validate() throws { try checkInput(parameters) }

  func run() throws {
    throw ExitCode(
      ask {
        try CallRequest(explaining: query, parameters: parameters)
      } show: { result in
        json ? output.text(of: result) : Self.sentences(result)
      })
  }

  private static func sentences(_ result: JSONValue) -> String {
    (result["because"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }.joined(separator: "\n")
  }
}
