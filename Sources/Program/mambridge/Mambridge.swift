// mambridge is the program: it reads the command line, puts core, bridge and transport together, and ends with a
// documented exit code. What it does beside serving are commands over the same core: call a method, explain a
// decision, watch events, show status and log, protect files, check a tenant folder, open the console.
//
// Each command is a `ParsableCommand`; help, manual pages and completions are made from it. The usual start, to serve
// on standard input or to make one call, does not wait for the command-line parser, because scripts start mambridge
// once per call.
//
// What goes where is a rule: a result to standard output, everything else to standard error, and nothing but replies
// to standard output while it serves.

import ArgumentParser
import Bridge
import CGlibc
import Glibc
import Model
import Support

@main
struct Mambridge: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mambridge",
    abstract: "The Intune App SDK for every language: app protection policies over JSON-RPC 2.0.",
    discussion: """
      Without a subcommand, mambridge serves JSON-RPC on standard input and output, one message per line.

      Options may come before or after the command. The variables MAMBRIDGE_TENANT, MAMBRIDGE_STATE, \
      MAMBRIDGE_APP_ID and MAMBRIDGE_CLOCK stand in for --tenant, --state, --app-id and --clock. To see the parameters \
      of a method, use mambridge call METHOD --help.

      \(exitCodes)

      Examples:

        # Answer one request
        echo '{"jsonrpc":"2.0","id":1,"method":"versionInfo.sdkVersion"}' | mambridge

        # Enroll a user of the built-in tenant, and explain a decision
        mambridge --tenant sample call \\
          enrollmentManager.registerAndEnrollAccount account=alice@contoso.example
        mambridge --tenant sample explain policy.isPINRequired
      """,
    version: "mambridge \(version) (Intune App SDK \(Device.implementedSDKVersion))\n\(About.summary)",
    subcommands: [
      Serve.self, Call.self, Explain.self, Schema.self, ShowStatus.self, ShowLog.self, ShowEvents.self, Console.self,
      ServeSandbox.self, Diagnostics.self, ExamineLog.self, Keys.self, Files.self, TenantCommand.self, Configure.self,
      Completions.self,
      ShowManual.self, About.self,
    ],
    defaultSubcommand: Serve.self)

  static let version = "0.3.0"
  /// As in CHANGELOG.md.
  static let releaseDate = "2026-11-30"

  static let exitCodes = """
    Exit codes: 0 done, for a server also after SIGTERM, SIGINT or SIGHUP; 1 the call or command failed; 64 invalid \
    command line; 69 cannot listen or connect, or no answer in time; 71 a limit of the system is too low; 74 cannot \
    write the output; 75 unfinished work was cut off 30 s after the end of input; 78 invalid configuration; 129, 130 \
    or 143 stopped by SIGHUP, SIGINT or SIGTERM, a server by the second one.
    """

  /// Starts to serve on standard input without the command-line parser: scripts start mambridge once per call.
  static func main() {
    cglibc_restore_environment()
    let words = readWords()
    if let arguments = CoreArguments(plain: words) { Glibc.exit(Serve.onStdio(arguments)) }
    if let arguments = SandboxArguments(plain: words) { Glibc.exit(arguments.serve()) }
    if let request = CompletionRequest(words) { Glibc.exit(request.answer()) }
    do {
      let ordered = try ordered(words)
      if let request = MethodHelp.Request(ordered) { Glibc.exit(MethodHelp.show(request)) }
      main(ordered)
    } catch {
      printError("mambridge: \(error)")
      Glibc.exit(EX_USAGE)
    }
  }

  /// Ends the process if an argument or a variable that chooses what to use is not UTF-8.
  private static func readWords() -> [String] {
    do {
      try ProcessText.checkVariables(Variable.names)
      return try ProcessText.arguments()
    } catch {
      printError("mambridge: \(error.description)")
      Glibc.exit(EX_USAGE)
    }
  }

  /// The words with the names of subcommands in front. The parser describes its commands only if they are not there
  /// already, because that takes milliseconds.
  private static func ordered(_ words: [String]) throws(UnknownCommand) -> [String] {
    let first = configuration.subcommands.first { $0.configuration.commandName == words.first }
    if let first {
      let names = first.configuration.subcommands.map { $0.configuration.commandName }
      if names.isEmpty || words.count > 1 && names.contains(words[1]) { return words }
    }
    guard let tree = CommandTree(of: Self.self) else { return words }
    return try tree.ordered(words)
  }

  /// Sets up the process, before other threads start: new files are private to the user, a crash leaves a trace and no
  /// core dump, and exceeding a file size limit is an error like a full disk.
  static func prepareProcess() {
    CrashTrace.begin(program: "mambridge", version: version)
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
    HeapMemory.keepForLongMessages()
    umask(0o077)
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
  }
}

/// Runs a command and returns its exit code. Reports a failure as one line on stderr, which begins with what has failed.
func reportingFailure(of task: String? = nil, _ body: () throws -> Int32) -> Int32 {
  CommandFailure.exitCode(of: task.map { "mambridge: \($0)" } ?? "mambridge", body)
}
