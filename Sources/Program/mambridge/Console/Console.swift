import ArgumentParser
import Bridge
import Glibc
import JSONRPC
import MAM
import Model
import Support
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
      switched on, so nothing in it changes the state. The copy is in a private folder, in memory where there is one, \
      and is removed at the end. The root secret is not copied. A source outside of this process (exec:COMMAND, \
      https://…) sees the copy as another device, whose registrations end with the command.

      With --live, the page works on the state itself, with the system clock. It can neither set nor clear test \
      policies, even if the setting DebugSettingsEnabled is true; stored test policies stay in force. What it \
      changes or wipes is changed or wiped.

      With --sandbox, the page works in a fresh sandbox, like that of mambridge sandbox, with a state and a tenant that \
      end with the command. It can then change users and policies, order wipes, say how a user answers, and save and \
      restore everything, with the methods sandbox.*.

      Examples:

        # Try the built-in tenant
        mambridge console --tenant sample

        # Only print the address, for a browser that is already open
        mambridge console --tenant sample --no-open

        # Change users and policies of a fresh copy of the built-in tenant
        mambridge console --sandbox
      """)

  @Flag(help: "Work on the state itself, and not on a copy.")
  var live = false

  @Flag(help: "Work in a sandbox, whose users and policies the page changes.")
  var sandbox = false

  @OptionGroup var begun: SandboxOptions

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
    guard sandbox || !begun.isGiven else { throw ValidationError("--seed and --at need --sandbox.") }
    guard !sandbox || !live else { throw ValidationError("--live is the state itself: leave out --sandbox.") }
    if sandbox { try begun.check(core) }
    guard live else { return }
    guard core.clock ?? .system == .system else { throw ValidationError("--live uses the system clock.") }
    guard core.debugSettings == nil else { throw ValidationError("--live uses no test policy.") }
  }

  func run() throws {
    Mambridge.prepareProcess()
    guard !sandbox else { throw ExitCode(runInSandbox()) }
    throw ExitCode(
      reportingFailure {
        let signals = TerminationSignals()
        let trusts = core.arguments.trustsParents
        let folder = live && staysClosed ? nil : try ThrowawayFolder(for: .console, trustsParents: trusts)
        defer { folder?.remove() }
        return try serve(signals, folder)
      })
  }

  private func serve(_ signals: TerminationSignals, _ folder: ThrowawayFolder?) throws -> Int32 {
    let original = try core.arguments.stateFolder()
    let isNew = !original.hasState
    let copy = live ? nil : folder
    let arguments = try copy.map { try copyArguments(original, isNew: isNew, in: $0) } ?? liveArguments(original)
    let bridge = try arguments.makeBridge(onShutdown: signals.request)
    defer { bridge.end() }
    let code = try serve(bridge, PageFiles.console(isCopy: copy != nil, isNew: isNew), signals, folder)
    if copy != nil { bridge.leaveSource(within: Self.timeToLeave) }
    return code
  }

  private func runInSandbox() -> Int32 {
    let arguments = begun.arguments(core)
    return arguments.run(untold: API.pageReads) { start in
      let signals = TerminationSignals()
      printError("mambridge: this is a sandbox, which is removed at the end")
      if !start.folder.isInMemory { printError("mambridge: it is on a disk, in \(start.folder.path.shown)") }
      let bridge = try start.arguments.makeBridge(in: start.sandbox, onShutdown: signals.request)
      defer { bridge.end() }
      return try serve(bridge, PageFiles.console(inSandboxOf: arguments.placedSeed), signals, start.folder)
    }
  }

  /// Serves the page until a signal ends it, and returns the exit code. The browser gets the address in a file in `folder`.
  private func serve(
    _ bridge: Bridge, _ page: PageFiles, _ signals: TerminationSignals, _ folder: ThrowawayFolder?
  ) throws -> Int32 {
    let token = try SessionToken()
    var service = bridge.socketService(isToken: token.isToken)
    service.page = page
    service.record = PageRecord()
    service.examiner = .console
    let listener = try orCannotListen { try SocketListener(ListenPlace(ListenAddress(listen)), service: service) }
    let address = "\(listener.address)/#token=\(token.text)"
    try printResult(address + "\n")
    if let folder, !staysClosed { Browser.open(try folder.write(Self.redirection(to: address), to: "open.html")) }
    return ListenLoop(listeners: [listener], signals: signals).run()
  }

  /// How long the policy source may take at the end to forget the registrations of the copy.
  private static let timeToLeave = Duration.seconds(5)

  private func liveArguments(_ state: StateFolder) -> CoreArguments {
    var arguments = core.arguments
    arguments.locksTestPolicies = true
    arguments.clock = .system
    printError("mambridge: this is the state itself: \(state.root.shown)")
    return arguments
  }

  /// The arguments of a core for a copy of the state, or for a new state.
  private func copyArguments(_ original: StateFolder, isNew: Bool, in folder: ThrowawayFolder) throws -> CoreArguments {
    var arguments = core.arguments
    let copy = StateFolder(root: folder.path + "/state", appId: original.appId, trustsParents: arguments.trustsParents)
    if isNew {
      printError("mambridge: this is a new state, which is removed at the end")
    } else {
      try coreResult { () throws(MAMError) in try StateCopy(of: original, to: copy).make() }
      printError("mambridge: this is a copy of \(original.root.shown), which is removed at the end")
    }
    if !folder.isInMemory { printError("mambridge: it is on a disk, in \(folder.path.shown)") }
    arguments.secret.share(original)
    arguments.clock = core.clock ?? .manual()
    arguments.flags.insert("DebugSettingsEnabled=true", at: 0)
    arguments.deviceTag = SourceDevice.randomTag
    arguments.state = copy.root
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
