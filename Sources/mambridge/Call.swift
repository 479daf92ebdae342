import ArgumentParser
import Bridge
import JSON

struct Call: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Call one method, here or on a server, and print its result.",
    discussion: """
      Parameters are name=value pairs (text where the schema wants a string, else JSON), or one JSON object or array:

        mambridge call policy.isSaveToAllowedForLocation location=localDrive account=alice@contoso.example
        mambridge call dataProtectionManager.protectString '{"string": "hello", "account": null}'

      Do not pass a PIN or a token: every user of the machine can see the arguments of a process. Send such a request to \
      mambridge on standard input.

      The result goes to stdout (exit code 0), an error to stderr (exit code 1), both as JSON.
      """)

  @Argument(help: "The method's name.", completion: .list(API.methods.map { $0.name }))
  var method: String

  @Argument(help: ArgumentHelp("Parameters.", valueName: "name=value | json"))
  var parameters: [String] = []

  @OptionGroup var whom: AskOptions

  func run() throws {
    if let warning = CallRequest.warning(method: method, parameters: parameters) { printError("mambridge: \(warning)") }
    throw ExitCode(
      whom.ask {
        try CallRequest(method: method, parameters: parameters)
      } show: {
        $0.jsonText
      })
  }
}
