import ArgumentParser
import Bridge
import BridgeAPI
import Glibc
import JSON
import JSONRPC
import Transport

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve JSON-RPC 2.0 on standard input and output, or on a socket (the default command).",
    discussion: """
      One message a line (NDJSON), or Content-Length headers when the first byte is a C. With --listen standard \
      input is not read, and stderr gets one line {"listening":…,"tokenFile":…} for each address. Over TCP the first \
      request of a connection must be authenticate with the token from that file, over HTTP each one has it:

        curl http://127.0.0.1:PORT/rpc -H "Authorization: Bearer $(cat TOKENFILE)" --json '{"jsonrpc":"2.0",…}'

      A unix socket needs no token: it is for your own processes alone, in a folder that only you may enter.

      \(Mambridge.exitCodes)
      """)

  @Option(
    help: ArgumentHelp(
      "Listen on tcp://127.0.0.1:PORT, http://127.0.0.1:PORT (port 0 takes a free one) or unix:///PATH; several times "
        + "for several addresses.", valueName: "address"))
  var listen: [String] = []

  @Option(
    help: ArgumentHelp(
      "Another limit for a connection; x-limits of the schema lists names and defaults. Several times for several.",
      valueName: "name=value"))
  var limit: [String] = []

  @OptionGroup var core: CoreOptions

  func validate() throws {
    do throws(LimitFlagError) {
      _ = try limits()
    } catch {
      throw ValidationError("--limit: \(error)")
    }
  }

  private func limits() throws(LimitFlagError) -> SessionLimits {
    var limits = SessionLimits()
    for flag in limit { try limits.set(flag: flag) }
    return limits
  }

  func run() throws {
    let limits = try limits()
    throw ExitCode(listen.isEmpty ? Self.onStdio(core.arguments, limits) : serve(limits))
  }

  /// The exit code when the input has ended.
  static func onStdio(_ arguments: CoreArguments, _ limits: SessionLimits = SessionLimits()) -> Int32 {
    Mambridge.prepareProcess()
    return reportingFailure {
      let signals = TerminationSignals()
      let bridge = try arguments.makeBridge(limits: limits)
      defer { bridge.end() }
      return StdioLoop(signals: signals) { wake in
        Session(handler: bridge.connect(), limits: limits, wake: wake)
      }.run()
    }
  }

  private func serve(_ limits: SessionLimits) -> Int32 {
    Mambridge.prepareProcess()
    return reportingFailure {
      let signals = TerminationSignals()
      let bridge = try core.arguments.makeBridge(limits: limits, onShutdown: signals.request)
      defer { bridge.end() }
      let listeners = try makeListeners(bridge, limits)
      return ListenLoop(listeners: listeners, signals: signals).run()
    }
  }

  /// Announced when all of them listen.
  private func makeListeners(_ bridge: Bridge, _ limits: SessionLimits) throws -> [SocketListener] {
    do {
      let addresses = try listen.map { try ListenAddress($0) }
      let token = try addresses.contains(where: \.needsToken) ? makeToken() : nil
      let service = makeService(bridge, token, limits)
      let listeners = try addresses.map { try SocketListener($0, service: service) }
      for listener in listeners { announce(listener.address, token) }
      return listeners
    } catch {
      throw CommandFailure(exitCode: 69, message: "\(error)")
    }
  }

  private func makeToken() throws -> TokenFile {
    let folder = core.arguments.stateFolder
    try folder.create()
    return try TokenFile(path: folder.token)
  }

  private func makeService(_ bridge: Bridge, _ token: TokenFile?, _ limits: SessionLimits) -> SocketService {
    var service = SocketService(limits: limits, isToken: { token?.isToken($0) == true }) {
      bridge.connect(admission: $0)
    }
    service.document = { OpenRPC.text(serverVersion: Mambridge.version) }
    service.events = BridgeEvents(bridge: bridge)
    return service
  }

  /// The one line of an address that a script waits for.
  private func announce(_ address: ListenAddress, _ token: TokenFile?) {
    var line: JSONObject = ["listening": .string(address.description)]
    if let token, address.needsToken { line["tokenFile"] = .string(token.path) }
    printError(line.jsonText)
  }
}
