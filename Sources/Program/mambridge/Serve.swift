import ArgumentParser
import Bridge
import Glibc
import JSON
import JSONRPC
import Support
import Transport

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve JSON-RPC 2.0 on standard input and output, or on a socket (the default command).",
    discussion: """
      Each line is one message (NDJSON); if the first byte is a C, messages have Content-Length headers instead.

      With --listen, standard input is not read, and stderr gets one line {"listening":…,"tokenFile":…} for each \
      address. Over TCP, the first request of a connection must call authenticate with the token from that file. Over \
      HTTP, every request carries the token:

        curl http://127.0.0.1:PORT/rpc \\
          -H "Authorization: Bearer $(cat TOKENFILE)" \\
          --json '{"jsonrpc":"2.0",…}'

      A unix socket needs no token: it is in a folder that only you can enter, so only your own processes can connect.

      --listen systemd takes the sockets of a systemd socket unit (LISTEN_FDS): unix sockets and loopback ports. A \
      port that the unit names http (FileDescriptorName=http) speaks HTTP.

      If the variable \(ProcessGroup.variable) is "\(ProcessGroup.own)", a server on standard input leaves the process \
      group of its host: Ctrl-C then reaches the host alone, which ends the server by ending its input. The server stays \
      if a terminal is its input, or if there is a terminal on which a program that it starts may ask: a key command, a \
      token command or a policy source.

      \(Mambridge.exitCodes)

      Examples:

        # Answer the requests of a file, with room for longer messages
        mambridge serve --limit message=134217728 <requests.ndjson

        # Serve on a free port until Ctrl-C; stderr says which
        mambridge serve --listen tcp://127.0.0.1:0
      """)

  @OptionGroup var listening: ListenOptions

  @OptionGroup var core: CoreOptions

  func run() throws {
    let limits = try listening.limits()
    throw ExitCode(
      listening.listen.isEmpty
        ? Self.onStdio(core.arguments, limits)
        : Listening(places: listening.listen, limits: limits).serve(core.arguments))
  }

  /// Serves until the input ends, and returns the exit code.
  static func onStdio(
    _ arguments: CoreArguments, _ limits: SessionLimits = SessionLimits(), in sandbox: Sandbox? = nil
  ) -> Int32 {
    Mambridge.prepareProcess()
    return reportingFailure(of: sandbox.map { _ in SandboxArguments.start }) {
      try ProcessGroup.leaveIfAsked(arguments)
      let signals = TerminationSignals()
      let bridge = try arguments.makeBridge(limits: limits, in: sandbox)
      defer { bridge.end() }
      greet()
      return StdioLoop(signals: signals) { wake in
        Session(handler: bridge.connect(), limits: limits, wake: wake)
      }.run()
    }
  }

  /// Tells a person who started mambridge without a client what it waits for.
  private static func greet() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
    printError(
      """
      mambridge \(Mambridge.version) waits for JSON-RPC 2.0 requests, one per line. For example:
        {"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}
      Ctrl-D ends it. For commands such as call and files: mambridge --help
      """)
  }
}

/// The options of a server that may listen.
struct ListenOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen on tcp://127.0.0.1:PORT, http://127.0.0.1:PORT (port 0 picks a free one) or unix:///PATH, or with "
        + "\"systemd\" on the sockets that systemd passes. Repeatable.", valueName: "address"))
  var listen: [String] = []

  @Option(
    help: ArgumentHelp(
      "Change a limit of each connection; x-limits in the schema lists the names and defaults. Repeatable.",
      valueName: "name=value"))
  var limit: [String] = []

  func validate() throws {
    do throws(LimitFlagError) {
      _ = try limits()
    } catch {
      throw ValidationError("--limit: \(error)")
    }
  }

  func limits() throws(LimitFlagError) -> SessionLimits {
    var limits = SessionLimits()
    for flag in limit { try limits.set(flag: flag) }
    return limits
  }
}

/// A server on sockets.
struct Listening {
  let places: [String]
  let limits: SessionLimits

  /// Serves until a signal or a host ends it, and returns the exit code.
  func serve(_ arguments: CoreArguments, in sandbox: Sandbox? = nil) -> Int32 {
    Mambridge.prepareProcess()
    return reportingFailure(of: sandbox.map { _ in SandboxArguments.start }) {
      let places = try listenPlaces()
      let signals = TerminationSignals()
      let bridge = try arguments.makeBridge(limits: limits, in: sandbox, onShutdown: signals.request)
      defer { bridge.end() }
      let listeners = try makeListeners(places, bridge, arguments)
      return ListenLoop(listeners: listeners, signals: signals).run()
    }
  }

  /// Takes the passed sockets before other threads start, or programs that could inherit the sockets.
  private func listenPlaces() throws -> [ListenPlace] {
    try orCannotListen { try places.flatMap { try ListenPlace.places(named: $0) } }
  }

  /// Announces the addresses once all of them listen.
  private func makeListeners(
    _ places: [ListenPlace], _ bridge: Bridge, _ arguments: CoreArguments
  ) throws -> [SocketListener] {
    try orCannotListen {
      let token = try places.contains(where: \.address.needsToken) ? makeToken(arguments) : nil
      let service = bridge.socketService(limits: limits) { token?.isToken($0) == true }
      let listeners = try places.map { try SocketListener($0, service: service) }
      for listener in listeners { announce(listener.address, token) }
      return listeners
    }
  }

  private func makeToken(_ arguments: CoreArguments) throws -> TokenFile {
    let folder = try arguments.stateFolder()
    try folder.create()
    return try TokenFile(path: folder.token)
  }

  /// Prints the line from which a script learns the address.
  private func announce(_ address: ListenAddress, _ token: TokenFile?) {
    var line: JSONObject = ["listening": .string(address.description)]
    if let token, address.needsToken { line["tokenFile"] = .string(token.path) }
    printError(line.jsonText)
  }
}

/// Rethrows an error of listening with its exit code.
func orCannotListen<Value>(_ body: () throws -> Value) throws -> Value {
  do {
    return try body()
  } catch {
    throw CommandFailure(exitCode: 69, message: "\(error)")
  }
}
