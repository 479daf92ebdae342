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

  @Option(
    help: ArgumentHelp(
      """
      How long to wait for an answer (default: for call and explain with --connect 600, or 10 more than the limit in \
      _meta, and no limit without --connect; 30 for status, log and events).
      """, valueName: "seconds"))
  var timeout: Double?

  /// What `--timeout` says; `nil` without it.
  var limit: Duration? { timeout.map { .milliseconds(Int64($0 * 1000)) } }

  func validate() throws {
    if let timeout, !(0.1...86_400).contains(timeout) {
      throw ValidationError("--timeout must be from 0.1 to 86400 seconds.")
    }
  }
}

/// How long a command waits for a server, or for a core in this process.
struct AnswerLimits {
  /// For a server that shows that it runs. A call may bring policies over the network, or wait for a person.
  static let call = Duration.seconds(600)
  /// For what needs no work: to accept a connection, to check a token, to say the version.
  static let greeting = BlockingConnection.connectLimit
  /// What a server may need, beyond the time limit of a request, to say that it is over.
  static let reserve = Duration.seconds(10)

  let greeting: Duration
  let call: Duration

  /// `option` is --timeout. `request` is the time limit that the request itself names.
  init(option: Duration?, request: Duration? = nil) {
    greeting = option ?? Self.greeting
    call = option ?? request.map { $0 + Self.reserve } ?? Self.call
  }
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
      if let connect = server.connect { return try printReply(ask(connect, request), to: request, show) }
      return askHere(request) { reply in try printReply(reply, to: request, show) }
    }
  }

  /// Shows the progress of long work on a terminal. Ctrl-C cancels the call.
  private func askHere(_ request: CallRequest, _ print: (JSONValue) throws -> Int32) -> Int32 {
    let wakeUp = Support.Semaphore()
    return LongWork(isQuiet: core.quiet).run(stop: { wakeUp.signal() }) { work in
      let reply = try reply(to: request, work, wakeUp)
      work.clearLine()
      return LongWork.Outcome(exitCode: try print(reply))
    }
  }

  private func reply(to request: CallRequest, _ work: WorkControl, _ wakeUp: Support.Semaphore) throws -> JSONValue {
    var arguments = core.arguments
    arguments.signInDisplay = isatty(STDERR_FILENO) == 1 ? .text { text in work.report(text.shownLines) } : .nowhere
    let bridge = try arguments.makeBridge()
    defer { bridge.end() }
    work.begin()
    let exchange = LocalExchange(handler: bridge.connect(), wakeUp: wakeUp, work: work)
    guard let limit = server.limit else { return try JSONValue(parsing: exchange.answer(to: request.text)) }
    guard let answer = exchange.answer(to: request.text, within: limit) else {
      throw CommandFailure(
        exitCode: 69, message: "no answer within \(limit.secondsText) s. Allow more time with --timeout SECONDS")
    }
    return try JSONValue(parsing: answer)
  }

  /// Returns the exit code.
  private func printReply(
    _ reply: JSONValue, to request: CallRequest, _ show: ((JSONValue) -> String)?
  ) throws -> Int32 {
    if let error = reply["error"] {
      output.printFailure(request.hints.added(to: error))
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
      let limits = AnswerLimits(option: self.server.limit, request: request.timeLimit)
      let connection = try BlockingConnection(to: address, within: limits.greeting)
      if let failure = try greet(connection, token, within: limits.greeting) { return failure }
      return try JSONValue(parsing: connection.answer(to: request.text, within: limits.call))
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(exitCode: 69, message: "\(error)")
    }
  }

  func readToken() throws -> String {
    try TokenFile(reading: server.tokenFile ?? core.arguments.stateFolder().token).token()
  }

  /// Asks for what every server answers at once: a stopped one is noticed before a request that may take long. Returns
  /// the server's reply if it refuses the token or the connection; `nil` once the connection can be used.
  private func greet(
    _ connection: BlockingConnection, _ token: String?, within limit: Duration
  ) throws -> JSONValue? {
    let request =
      try token.map { try CallRequest(method: API.authentication, members: ["token": .string($0)]) }
      ?? CallRequest(method: API.greeting, members: [:])
    let reply = try JSONValue(parsing: connection.answer(to: request.text, within: limit))
    guard reply["error"] == nil else { return reply }
    return Optional.none  // nil would be JSON's null
  }
}
