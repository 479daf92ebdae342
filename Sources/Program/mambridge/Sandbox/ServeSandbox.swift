import ArgumentParser
import Bridge
import Glibc
import JSONRPC
import MAM
import Support

struct ServeSandbox: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sandbox",
    abstract: "Serve a fresh state and tenant for a test, which end with the server.",
    discussion: """
      A server like serve, for the tests of an app: its state and its tenant are in a private folder, in memory where \
      there is one. The clock stands still until debug.advanceClock moves it, and test policies are switched on. The \
      methods sandbox.* exist only here: they change users and policies as an administrator would, order wipes, save and \
      restore everything, and say how a user answers.

      --seed says what the sandbox begins with: sample is the built-in tenant, empty is a tenant without users and \
      policies, and a folder is a tenant folder or what sandbox.export has written. The original is only read.

      The folder is removed at the end. What a killed sandbox left is removed when the next one begins.

      \(Mambridge.exitCodes)

      Examples:

        # With which variables does an app join that starts mambridge itself?
        mambridge sandbox <<'END'
        {"jsonrpc":"2.0","id":1,"method":"sandbox.environment"}
        END

        # A sandbox for a browser or curl, which starts at a fixed time
        mambridge sandbox --listen http://127.0.0.1:0 --at 2026-01-31T09:30:00Z
      """)

  @OptionGroup var begun: SandboxOptions

  @OptionGroup var listening: ListenOptions

  @OptionGroup var core: CoreOptions

  func validate() throws { try begun.check(core) }

  func run() throws {
    let arguments = begun.arguments(core)
    let limits = try listening.limits()
    throw ExitCode(
      listening.listen.isEmpty
        ? arguments.serve(limits) : arguments.serve(on: Listening(places: listening.listen, limits: limits)))
  }
}

/// What a sandbox begins with.
struct SandboxOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      What the sandbox begins with: "sample" for the built-in tenant, "empty", a tenant folder, or the folder of an \
      export (default: sample).
      """, valueName: "seed"), completion: .directory)
  var seed: String?

  @Option(
    help: ArgumentHelp(
      "When the clock of the sandbox starts, such as 2026-01-31T09:30:00Z (default: now, or the time of an export).",
      valueName: "time"))
  var at: String?

  var isGiven: Bool { seed != nil || at != nil }

  func validate() throws {
    if let at, SandboxArguments.time(at) == nil {
      throw ValidationError("\(SandboxArguments.start): --at must be a time such as 2026-01-31T09:30:00Z.")
    }
  }

  /// Throws if other options do not fit a sandbox.
  func check(_ core: CoreOptions) throws {
    if let fault = SandboxArguments.fault(of: core.arguments) {
      throw ValidationError("\(SandboxArguments.start): \(fault)")
    }
  }

  func arguments(_ core: CoreOptions) -> SandboxArguments {
    var arguments = SandboxArguments(core.arguments)
    arguments.seed = seed ?? arguments.seed
    arguments.time = at.flatMap(SandboxArguments.time)
    return arguments
  }
}
