import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import Support
import Tenancy

struct CheckTenant: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Show who gets which policy from a tenant folder, and what looks wrong in it.",
    usage: "mambridge tenant check [<options>] <tenant>",
    discussion: """
      Reads the tenant and assigns policies as a check-in does, and changes nothing. Prints a line for each finding: \
      unknown members, values that do not parse, bundle ids among URL schemes, actions that never run because a harsher \
      one comes first, overlapping assignments, policies that are merged or that nobody gets, missing groups and users, \
      users without a policy, files that are not read. Then prints what users get, by app and platform, for each class \
      of users who get the same, largest first; the app * stands for every app that the tenant does not name. Shows the \
      100 largest classes. Use --all for a row for each user, app and platform.

      git:REVISION:FOLDER names a folder of a git revision, such as git:HEAD:tenant. It begins at the folder of the \
      repository or, as ./FOLDER, at the current folder. git only reads objects: filters, hooks and replacement refs do not \
      count, nothing is fetched, and links are followed inside of the repository.

      Exit codes: 0 no findings; 1 findings; 64 invalid command line; 78 the tenant cannot be found.

      Examples:

        # Show who gets what in the built-in tenant
        mambridge tenant check sample

        # Show what every user gets
        mambridge tenant check sample --all

        # Show what one user gets
        mambridge tenant check sample --user alice@contoso.example

        # Check what is committed, before it is pushed
        mambridge tenant check git:HEAD:tenant
      """)

  @Argument(
    help: "A tenant folder, git:REVISION:FOLDER, or \"sample\" for the built-in tenant.", completion: .directory)
  var tenant: String

  @Option(help: "Show only this user, by user principal name or object id. Findings still cover all users.")
  var user: String?

  @Option(help: "Show only this app, by its bundle id or package name.")
  var app: String?

  @Option(help: "Show only this platform.")
  var platform: Platform?

  @Flag(help: "Show a row for each user, app and platform, not for each class of users.")
  var all = false

  @Flag(
    help: """
      Print one JSON object: tenantId, displayName, userCount, classCount, classes, users, findings. Without --all or \
      --user, it has the 100 largest classes, and users is null if there would be more than 1,000 rows.
      """)
  var json = false

  @OptionGroup var output: OutputOptions

  enum Platform: String, CaseIterable, ExpressibleByArgument { case ios, android, windows }

  func validate() throws {
    try NamedOption.user.check(user)
    try NamedOption.app.check(app)
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let check = try read()
        let report = TenantReport(check: check, content: try content(of: check))
        if json {
          try output.print(report.json)
        } else {
          try printResult(report.text(on: .standardOutput(output.color, otherwise: .max)))
        }
        return check.findings.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE
      })
  }

  private func content(of check: TenantCheck) throws -> TenantReport.Content {
    let platform = platform.flatMap { DevicePlatform(rawValue: $0.rawValue) }
    let account = user.map { AccountReference($0) }
    guard let outcomes = check.outcomes(of: account, in: app, on: platform) else {
      guard check.isReadable else { return .unknown }
      throw CommandFailure(
        exitCode: 64, message: "the tenant has no user \(user ?? ""); leave out --user to show all users")
    }
    if all || user != nil { return .users(check.shares(of: account, outcomes), outcomes) }
    let isShort = outcomes.classNumbers.count * outcomes.places.count <= TenantReport.mostRows
    return .classes(outcomes, shares: json && isShort ? check.shares(of: nil, outcomes) : nil)
  }

  private func read() throws -> TenantCheck {
    let version = try TenantVersion(named: tenant)
    do throws(TenantError) {
      return try version.check()
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }
}

struct TenantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenant",
    abstract: "Work with a tenant folder, where policies come from.",
    subcommands: [CheckTenant.self, DiffTenants.self, TestTenant.self])
}
