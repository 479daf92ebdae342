import ArgumentParser
import Bridge
import Glibc
import JSON
import JSONRPC
import Support
import Transport

/// The options that select a server.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ask the server that listens on this address: tcp://127.0.0.1:PORT or unix:///PATH.", valueName: "address"))
  var connect: String?

  @Option(
    name: .customLong("token-file"),
    help: "The file with the server's token, for tcp:// (default: the token file in the app's state folder).",
    completion: .file())
  var tokenFile: String?
}

/// A command that a core in this process answers, or a server.
protocol AskingCommand: ParsableCommand {
  var server: ServerOptions { get }
  var output: OutputOptions { get }
  var core: CoreOptions { get }
}

extension AskingCommand {
  /// Refuses to read both the passphrase and the parameters from standard input.
  func checkInput(_ parameters: [String]) throws {
    guard core.secret.passphraseDescriptor == STDIN_FILENO, server.connect == nil else { return }
    let isRead = parameters == [ParameterSource.standardInput] || parameters.contains { $0.hasSuffix("=@-") }
    guard !isRead else {
      throw ValidationError("Standard input cannot give both the passphrase and parameters: use --passphrase-fd 3.")
    }
  }

  /// Sends one request and returns the exit code. Prints the result as `show` formats it, or else as JSON; an error goes
  /// to stderr as JSON.
  func ask(_ makeRequest: () throws -> CallRequest, show: ((JSONValue) -> String)? = nil) -> Int32 {
    Mambridge.prepareProcess()
    return reportingFailure {
      let request = try makeRequest()
      if let connect = server.connect { return try printReply(ask(connect, request), show) }
      return askHere(request) { reply in try printReply(reply, show) }
    }
  }

  /// Shows the progress of long work on a terminal. Ctrl-C cancels the call.
  private func askHere(_ request: CallRequest, _ print: (JSONValue) throws -> Int32) -> Int32 {
    let wakeUp = Support.Semaphore()
    return LongWork().run(stop: { wakeUp.signal() }) { work in
      let reply = try reply(to: request, work, wakeUp)
      work.clearLine()
      return LongWork.Outcome(exitCode: try print(reply))
    }
  }

  private func reply(to request: CallRequest, _ work: WorkControl, _ wakeUp: Support.Semaphore) throws -> JSONValue {
    var arguments = core.arguments
    arguments.signInDisplay = isatty(STDERR_FILENO) == 1 ? .text { text in work.tell(text.shownLines) } : .nowhere
    let bridge = try arguments.makeBridge()
    defer { bridge.end() }
    work.begin()
    let exchange = LocalExchange(handler: bridge.connect(), wakeUp: wakeUp, work: work)
    return try JSONValue(parsing: exchange.answer(to: request.text))
  }

  /// Returns the exit code.
  private func printReply(_ reply: JSONValue, _ show: ((JSONValue) -> String)?) throws -> Int32 {
    if let error = reply["error"] {
      output.printFailure(error)
      return EXIT_FAILURE
    }
    let result = reply["result"] ?? .null
    try printResult((show?(result) ?? output.text(of: result)) + "\n")
    return EXIT_SUCCESS
  }

  private func ask(_ server: String, _ request: CallRequest) throws -> JSONValue {
    do {
      // Check the address first: an error about the token would hide that the address cannot be used.
      let address = try BlockingConnection.address(server)
      let token = try address.needsToken ? readToken() : nil
      let connection = try BlockingConnection(to: address)
      if let token, let failure = try authenticate(connection, token) { return failure }
      return try JSONValue(parsing: connection.answer(to: request.text))
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(exitCode: 69, message: "\(error)")
    }
  }

  func readToken() throws -> String {
    try TokenFile(reading: server.tokenFile ?? core.arguments.stateFolder().token).token()
  }

  /// The server's reply when it refuses the token; `nil` once the connection is authenticated.
  private func authenticate(_ connection: BlockingConnection, _ token: String) throws -> JSONValue? {
    let request = try CallRequest(method: API.authentication, members: ["token": .string(token)])
    let reply = try JSONValue(parsing: connection.answer(to: request.text))
    guard reply["error"] == nil else { return reply }
    return Optional.none  // nil would be JSON's null
  }
}
