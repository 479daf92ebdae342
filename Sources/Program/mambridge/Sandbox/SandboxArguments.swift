import Bridge
import Glibc
import JSONRPC
import MAM
import Model
import SourceHost
import SourceProtocol
import Support
import Tenancy

/// The command line of a sandbox.
struct SandboxArguments {
  private static let command = "sandbox"
  private static let emptySeed = "empty"
  /// What fails if no sandbox begins, by which the kits for tests find the reason.
  static let start = "the sandbox cannot begin"

  var seed = TenantLocation.sampleName
  /// When the clock starts; `nil` for now, or for the time of an export.
  var time: Timestamp?
  private var core: CoreArguments

  init(_ core: CoreArguments) {
    self.core = core
  }

  /// Reads a command line that consists only of `sandbox`, options and their values; `nil` for any other, which goes to
  /// the full parser. Tests start a sandbox each.
  init?(plain words: [String]) {
    guard words.first == Self.command else { return nil }
    var (seed, time, others) = (String?.none, Timestamp?.none, [String]())
    var rest = words.dropFirst().makeIterator()
    while let option = rest.next() {
      switch option {
      case "--seed":
        guard let value = rest.next(), !value.hasPrefix("-") else { return nil }
        seed = value
      case "--at":
        guard let value = rest.next().flatMap(Self.time) else { return nil }
        time = value
      default: others.append(option)
      }
    }
    guard let core = CoreArguments(plain: others), Self.fault(of: core) == nil else { return nil }
    self.init(core)
    self.seed = seed ?? self.seed
    self.time = time
  }

  static func time(_ text: String) -> Timestamp? {
    Timestamp(text).flatMap { $0.milliseconds > 0 ? $0 : nil }
  }

  /// Why the options do not fit a sandbox; `nil` if they do.
  static func fault(of core: CoreArguments) -> String? {
    if core.state != nil { return "A sandbox has a state of its own: leave out --state." }
    if core.tenant != nil { return "A sandbox has a tenant of its own: use --seed in place of --tenant." }
    if core.clock != nil { return "A sandbox has a manual clock: use --at in place of --clock." }
    if core.secret.isGiven { return "A sandbox makes a root secret of its own: leave out the options about keys." }
    return nil
  }

  /// Serves on standard input until the input ends, and returns the exit code.
  func serve(_ limits: SessionLimits = SessionLimits()) -> Int32 {
    run { start in Serve.onStdio(start.arguments, limits, in: start.sandbox) }
  }

  /// Serves on sockets, and returns the exit code.
  func serve(on listening: Listening) -> Int32 {
    run { start in listening.serve(start.arguments, in: start.sandbox) }
  }

  /// A sandbox that begins.
  struct Start {
    /// Those of a core in the sandbox.
    let arguments: CoreArguments
    let sandbox: Sandbox
    let folder: ThrowawayFolder
  }

  /// Makes a sandbox, which ends when `serve` returns the exit code. Its story leaves out the calls `reads`.
  func run(untold reads: Set<String> = [], _ serve: (Start) throws -> Int32) -> Int32 {
    // The folder must be private.
    Mambridge.prepareProcess()
    return reportingFailure(of: Self.start) {
      let folder = try ThrowawayFolder(for: .sandbox, trustsParents: core.trustsParents)
      defer { folder.remove() }
      var arguments = core
      var home = SandboxFolder(
        root: try folder.makeFolder("sandbox"), appId: try arguments.chosenAppId(),
        trustsParents: arguments.trustsParents)
      let start = try begin(&home)
      arguments.state = home.state.root
      arguments.tenant = home.tenant.path
      arguments.clock = .manual(startingAt: start)
      arguments.flags.insert("DebugSettingsEnabled=true", at: 0)
      let sandbox = Sandbox(home, startedBy: command(at: start), untold: reads) {
        tenant async throws(DevelopmentFailure) in try await DevelopmentTenantProgram.start(tenant: tenant)
      }
      defer { sandbox.end() }
      return try serve(Start(arguments: arguments, sandbox: sandbox, folder: folder))
    }
  }

  /// The command that starts a sandbox like this one on standard input.
  private func command(at start: Timestamp) -> SandboxCommand {
    let program = ProcessText.program ?? "mambridge"
    return SandboxCommand(
      program: program.contains("/") ? program.absolutePath : program,
      arguments: [Self.command, "--seed", placedSeed, "--at", "\(start)"]
        + Self.otherOptions(((try? ProcessText.arguments()) ?? []).dropFirst()))
  }

  /// The seed as a command in any folder names it.
  var placedSeed: String {
    [TenantLocation.sampleName, Self.emptySeed].contains(seed) ? seed : seed.absolutePath
  }

  /// The options of a command line without those of the seed, the time, the sockets and the console.
  static func otherOptions(_ words: ArraySlice<String>) -> [String] {
    var (others, rest) = ([String](), words.makeIterator())
    while let word = rest.next() {
      let name = word.prefix { $0 != "=" }
      guard !["--sandbox", "--no-open"].contains(word) else { continue }
      guard ["--seed", "--at", "--listen"].contains(name) else {
        others.append(word)
        continue
      }
      if name.count == word.count { _ = rest.next() }
    }
    return others
  }

  /// Fills the folder. Returns when the clock starts. Throws exit code 78 for a seed that cannot be used.
  private func begin(_ home: inout SandboxFolder) throws -> Timestamp {
    let now = time ?? SystemClock().now
    do {
      switch seed {
      case TenantLocation.sampleName:
        try home.begin(at: now) { path throws(TenantWriteError) in try TenantWriter(sampleAt: path) }
      case Self.emptySeed:
        try home.begin(at: now) { path throws(TenantWriteError) in try TenantWriter(emptyAt: path) }
      default:
        let folder = try seedFolder()
        guard !SandboxFolder.isExport(folder) else { return try home.begin(withExport: folder, at: time) }
        guard access(folder + "/tenant.json", R_OK) == 0 else {
          throw CommandFailure(
            exitCode: 78,
            message: "--seed: there is no tenant.json in \"\(seed.shown)\" that can be read. \(Self.hint)")
        }
        try home.begin(withTenant: folder, at: now)
      }
      return now
    } catch let error as MAMError {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }

  private static let hint =
    "Name a tenant folder, the folder of an export, \"\(TenantLocation.sampleName)\" or \"\(emptySeed)\""

  private func seedFolder() throws(CommandFailure) -> String {
    let path = seed.absolutePath
    var status = stat()
    guard !seed.isEmpty, stat(path, &status) == 0 else {
      throw CommandFailure(exitCode: 78, message: "--seed: there is no folder \"\(seed.shown)\". \(Self.hint)")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(
        exitCode: 78,
        message: "--seed: \"\(seed.shown)\" is not a folder; an archive of diagnosticsLog.export contains no policies "
          + "to begin with. \(Self.hint)")
    }
    return path
  }
}
