import ArgumentParser
import Bridge
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
      input is not read; stderr gets one line {"listening":…,"tokenFile":…}, and the first request of a connection \
      must be authenticate with the token from that file.
      """)

  @Option(help: ArgumentHelp("Listen on tcp://127.0.0.1:PORT; port 0 takes a free one.", valueName: "address"))
  var listen: String?

  @OptionGroup var core: CoreOptions

  func run() throws {
    guard let listen else { throw ExitCode(Self.onStdio(core.arguments)) }
    throw ExitCode(serve(on: listen))
  }

  /// The exit code when the input has ended.
  static func onStdio(_ arguments: CoreArguments) -> Int32 {
    Mambridge.hardenProcess()
    return reportingFailure {
      let signals = TerminationSignals()
      let bridge = try arguments.makeBridge()
      return StdioLoop(signals: signals) { wake in Session(handler: bridge.connect(), wake: wake) }.run()
    }
  }

  private func serve(on address: String) -> Int32 {
    Mambridge.hardenProcess()
    return reportingFailure {
      let signals = TerminationSignals()
      let listener = try makeListener(try core.arguments.makeBridge(), address)
      return ListenLoop(listener: listener, signals: signals).run()
    }
  }

  private func makeListener(_ bridge: Bridge, _ text: String) throws -> TCPListener {
    do {
      let folder = core.arguments.stateFolder
      try folder.create()
      let token = try TokenFile(path: folder.token)
      let address = try ListenAddress(text)
      let listener = try TCPListener(address, verify: token.isToken) { bridge.connect(admission: $0) }
      announce(listener.address, token)
      return listener
    } catch {
      throw CommandFailure(exitCode: 69, message: "\(error)")
    }
  }

  /// The one line that a script waits for.
  private func announce(_ address: ListenAddress, _ token: TokenFile) {
    let line: JSONObject = [
      "listening": .string(address.description), "tokenFile": .string(token.path),
    ]
    printError(line.jsonText)
  }
}
