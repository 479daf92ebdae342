import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import SourceHost
import Support
import Tenancy

struct DiffTenants: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show which decisions change between two versions of a tenant, for whom, and why.",
    usage: "mambridge tenant diff [<options>] <old> <new>",
    discussion: """
      Reads both versions as a check-in does, asks the policies of each class of users the same questions on both sides, \
      and prints the answers that differ, with the members and the files that turned them. Members that decide nothing, \
      such as names, versions and dates, never count. Users are matched by object id.

      Each difference is looser (more is allowed, or less is demanded), tighter, destroys (data is removed that was not \
      removed before) or other. Users who are added, removed or disabled, and wipes, come first.

      git:REVISION:FOLDER names a folder of a git revision, as in mambridge tenant check.

      https://HOST names what a tenant service serves, or, as https://graph.microsoft.com, what Intune has. It is pulled \
      first, with mambridge-tenant pull, into a folder that ends with the command. For a service, sign in as an \
      administrator with mambridge-tenant login, or give --token-command; for Graph, give --client-id, --directory-id and \
      so on with --pull-options. What the service does not say, such as certificate pins, is not compared, and is named.

      Exit codes: 0 nothing differs; 1 something differs (with --fail-on, only if a difference has one of these effects); \
      2 the versions cannot be compared; 64 invalid command line.

      Examples:

        # Compare the built-in tenant with itself, and fail only if something gets looser or is destroyed
        mambridge tenant diff sample sample --fail-on looser,destroys

        # Show what changes since the last commit
        mambridge tenant diff git:HEAD:tenant tenant
      """)

  @Argument(
    help: """
      The version before: a tenant folder, git:REVISION:FOLDER, https://HOST, or "sample" for the built-in tenant.
      """,
    completion: .directory)
  var old: String

  @Argument(help: "The version after, in the same ways.", completion: .directory)
  var new: String

  @Option(help: "Compare only this user, by user principal name or object id.")
  var user: String?

  @Option(help: "Compare only this app, by its bundle id or package name.")
  var app: String?

  @Option(
    help: ArgumentHelp(
      "End with 1 only if a difference has one of these effects, separated by commas.",
      valueName: "effects"))
  var failOn: EffectList?

  @Option(
    help: ArgumentHelp(
      "Run this command for the token of an administrator, with which a version that is an address is pulled.",
      valueName: "command"))
  var tokenCommand: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      More options of mambridge-tenant pull for a version that is an address, such as "--ca ca.pem". Quotes keep blanks \
      in a word.
      """, valueName: "options"))
  var pullOptions: String?

  @Flag(help: "Show the first users of each row by name. On a terminal, they are shown anyway.")
  var names = false

  @Flag(help: "Show the values of app configurations.")
  var values = false

  @Flag(help: "Print Markdown, such as for a comment on a pull request.")
  var markdown = false

  @Flag(
    help: """
      Print one JSON object: equal, users, certificatePins, groups, userCount, placeCount, contentCount, questionCount, \
      notCompared.
      """)
  var json = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if json, markdown { throw ValidationError("choose --json or --markdown, not both") }
    try NamedOption.user.check(user)
    try NamedOption.app.check(app)
    guard pullOptions == nil || pullWords != nil else {
      throw ValidationError("--pull-options is empty, or has a quote that is not closed.")
    }
    guard [old, new].contains(where: TenantPullProgram.isAddress) || tokenCommand == nil && pullOptions == nil else {
      throw ValidationError("--token-command and --pull-options are for a version that is an address.")
    }
  }

  private var pullWords: [String]? { pullOptions.flatMap { CommandWords($0)?.words } }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    let versions = ComparedVersions(
      old, new, options: (tokenCommand.map { ["--token-command", $0] } ?? []) + (pullWords ?? []))
    guard versions.arePulled else { throw ExitCode(reportingFailure { try report(on: versions) }) }
    throw ExitCode(
      LongWork(isQuiet: true).run(stop: versions.stop) { work in
        work.begin()
        return LongWork.Outcome(exitCode: try report(on: versions))
      })
  }

  /// Returns the exit code.
  private func report(on versions: ComparedVersions) throws -> Int32 {
    let (old, new) = try versions.read()
    let differences = try compare(old, new)
    let report = DifferenceReport(
      differences: differences, showsNames: names || !json && !markdown && output.isForPeople, showsValues: values)
    if json {
      try output.print(report.json)
    } else {
      let terminal = Terminal.standardOutput(output.color, otherwise: .max)
      try printResult(markdown ? report.markdown : report.text(on: terminal))
    }
    let failing = failOn?.effects ?? Set(DecisionEffect.allCases)
    return differences.effects.isDisjoint(with: failing) ? EXIT_SUCCESS : EXIT_FAILURE
  }

  private func compare(_ old: ComparedTenant, _ new: ComparedTenant) throws -> TenantDifferences {
    do throws(ComparisonFault) {
      return try TenantDifferences(old, new, user: user.map { AccountReference($0) }, app: app)
    } catch {
      throw CommandFailure(exitCode: 2, message: error.description)
    }
  }
}

/// The value of `--fail-on`.
struct EffectList: ExpressibleByArgument {
  static let allValueStrings = DecisionEffect.allCases.map(\.rawValue)

  let effects: Set<DecisionEffect>

  init?(argument: String) {
    let words = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let effects = words.compactMap(DecisionEffect.init(rawValue:))
    guard effects.count == words.count else { return nil }
    self.effects = Set(effects)
  }
}
