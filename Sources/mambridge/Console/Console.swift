import ArgumentParser
import Bridge
import Glibc
import JSONRPC
import MAM
import Model
import Transport

struct Console: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Show a tenant in the browser: accounts, policies, questions, a clock to move.",
    discussion: """
      Serves a page on this machine, prints its address on stdout, and opens the browser, until Ctrl-C. The address \
      contains a secret: whoever has it can use the page until the command ends. The page calls the same methods as \
      every other host and can show the calls as a script.

      The page works on a throw-away copy of the state, with a manual clock that starts now and with test policies \
      switched on, so nothing in it has consequences. The copy holds the keys, and is in a private folder that is \
      removed at the end. A source outside of this process (exec:COMMAND, https://…) sees the copy as another device.

      With --live, the page works on the state itself, with the system clock. It can neither set nor clear test \
      policies, even if the setting DebugSettingsEnabled is true; stored test policies stay in force. What it \
      changes or wipes is changed or wiped.

      Examples:

        # Try the built-in tenant
        mambridge console --tenant sample

        # Only print the address, for a browser that is already open
        mambridge console --tenant sample --no-open
      """)

  @Flag(help: "Work on the state itself, and not on a copy.")
  var live = false

  @Flag(name: .customLong("no-open"), help: "Do not open the browser.")
  var staysClosed = false

  @Option(
    help: ArgumentHelp("Listen on http://127.0.0.1:PORT; port 0 picks a free one.", valueName: "address"))
  var listen = "http://127.0.0.1:0"

  @OptionGroup var core: CoreOptions

  func validate() throws {
    guard case .http? = try? ListenAddress(listen) else {
      throw ValidationError("--listen must be http://127.0.0.1:PORT; port 0 picks a free one.")
    }
    guard live else { return }
    guard core.clock ?? .system == .system else { throw ValidationError("--live uses the system clock.") }
    guard core.debugSettings == nil else { throw ValidationError("--live uses no test policy.") }
  }

  func run() throws {
    Mambridge.prepareProcess()
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let signals = TerminationSignals()
        let folder = live && staysClosed ? nil : try ThrowawayFolder()
        defer { folder?.remove() }
        return try serve(signals, folder)
      })
  }

  private func serve(_ signals: TerminationSignals, _ folder: ThrowawayFolder?) throws -> Int32 {
    let bridge = try arguments(in: folder).makeBridge(onShutdown: signals.request)
    defer { bridge.end() }
    let token = try SessionToken()
    var service = SocketService(isToken: token.isToken) { bridge.connect(admission: $0) }
    service.document = { OpenRPC.text(serverVersion: Mambridge.version) }
    service.events = BridgeEvents(bridge: bridge)
    service.log = BridgeLog(bridge: bridge)
    service.page = PageFiles { name in
      ConsoleFiles.bytes(of: name).flatMap { PageFiles.File(named: name, $0) }
    }
    let listener = try orCannotListen { try SocketListener(ListenPlace(ListenAddress(listen)), service: service) }
    let address = "\(listener.address)/#token=\(token.text)"
    try printResult(address + "\n")
    if let folder, !staysClosed { Browser.open(try folder.write(Self.redirection(to: address), to: "open.html")) }
    return ListenLoop(listeners: [listener], signals: signals).run()
  }

  /// The arguments of the core: those of the command line, for the state itself or for a copy of it.
  private func arguments(in folder: ThrowawayFolder?) throws -> CoreArguments {
    var arguments = core.arguments
    let original = try arguments.stateFolder()
    guard let folder, !live else {
      arguments.locksTestPolicies = true
      printError("mambridge: this is the state itself: \(original.root.shown)")
      return arguments
    }
    arguments.clock = core.clock ?? .manual()
    arguments.flags.insert("DebugSettingsEnabled=true", at: 0)
    let copy = StateFolder(root: folder.path + "/state", appId: original.appId)
    if original.hasState {
      try coreResult { () throws(MAMError) in
        try StateCopy(of: original, to: copy).make(keyFile: arguments.secret.keyFile?.absolutePath)
      }
      printError("mambridge: this is a copy of \(original.root.shown), which is removed at the end")
    } else {
      printError("mambridge: this is a new state, which is removed at the end")
    }
    arguments.secret.keyFile = nil
    arguments.deviceTag = SourceDevice.randomTag
    (arguments.state, arguments.trustsParents) = (copy.root, true)
    return arguments
  }

  /// The browser gets a file with the address, because every user of the machine can see the arguments of a program.
  private static func redirection(to address: String) -> String {
    """
    <!doctype html>
    <meta charset="utf-8">
    <meta name="referrer" content="no-referrer">
    <title>mambridge</title>
    <script>location.replace("\(address)")</script>
    """
  }
}
