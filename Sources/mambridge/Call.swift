import ArgumentParser
import Bridge
import BridgeAPI
import Glibc
import JSON
import JSONRPC
import Transport

struct Call: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Call one method, here or on a server, and print its result.",
    discussion: """
      Parameters are name=value pairs (text where the schema wants a string, else JSON), or one JSON object or array:

        mambridge call policy.isSaveToAllowedForLocation location=localDrive account=alice@contoso.example
        mambridge call dataProtectionManager.protectString '{"string": "hello", "account": null}'

      The result goes to stdout (exit code 0), an error to stderr (exit code 1), both as JSON.
      """)

  @Argument(help: "The method's name.", completion: .list(API.methods.map { $0.name }))
  var method: String

  @Argument(help: ArgumentHelp("Parameters.", valueName: "name=value | json"))
  var parameters: [String] = []

  @Option(
    help: ArgumentHelp(
      "Ask the server that listens there: tcp://127.0.0.1:PORT or unix:///PATH.", valueName: "address"))
  var connect: String?

  @Option(
    name: .customLong("token-file"),
    help: "The file that holds the server's token, for tcp:// (default: the one in the state folder of the app).",
    completion: .file())
  var tokenFile: String?

  @OptionGroup var core: CoreOptions

  func run() throws {
    Mambridge.prepareProcess()
    throw ExitCode(
      reportingFailure {
        let request = try CallRequest(method: method, parameters: parameters)
        return try report(try connect.map { try ask(server: $0, request) } ?? askHere(request))
      })
  }

  private func askHere(_ request: CallRequest) throws -> JSONValue {
    let bridge = try core.arguments.makeBridge()
    defer { bridge.end() }
    signal(SIGPIPE, SIG_IGN)
    return try JSONValue(parsing: LocalExchange(handler: bridge.connect()).answer(to: request.text))
  }

  private func ask(server: String, _ request: CallRequest) throws -> JSONValue {
    do {
      let address = try ListenAddress(server)
      let token = try address.needsToken ? readToken() : nil
      let connection = try BlockingConnection(to: address)
      if let token, let failure = try authenticate(connection, token) { return failure }
      return try JSONValue(parsing: connection.answer(to: request.text))
    } catch {
      throw CommandFailure(exitCode: 69, message: "\(error)")
    }
  }

  private func readToken() throws -> String {
    try TokenFile(reading: tokenFile ?? core.arguments.stateFolder.token).token()
  }

  /// The reply that refuses; nil when the connection is open.
  private func authenticate(_ connection: BlockingConnection, _ token: String) throws -> JSONValue? {
    let request = try CallRequest(method: Authenticate.name, members: ["token": .string(token)])
    let reply = try JSONValue(parsing: connection.answer(to: request.text))
    guard reply["error"] == nil else { return reply }
    return Optional.none  // nil would be JSON's null
  }

  private func report(_ reply: JSONValue) throws -> Int32 {
    if let error = reply["error"] {
      printError(error.jsonText)
      return 1
    }
    try printResult((reply["result"] ?? .null).jsonText + "\n")
    return 0
  }
}
