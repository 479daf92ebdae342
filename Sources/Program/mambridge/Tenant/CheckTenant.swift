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
    usage: "mambridge tenant check [<options>] <folder>",
    discussion: """
      Reads the tenant and assigns policies as a check-in does, and changes nothing. Prints a row for each user, app and \
      platform; the app * stands for every app that the tenant does not name. Then prints a line for each finding: \
      unknown members, values that do not parse, bundle ids among URL schemes, actions that never run because a harsher \
      one comes first, overlapping assignments, policies that are merged or that nobody gets, missing groups and users, \
      users without a policy, files that are not read.

      Exit codes: 0 no findings; 1 findings; 64 invalid command line; 78 the folder cannot be read.

      Examples:

        # Show who gets what in the built-in tenant
        mambridge tenant check sample

        # Show what one user gets
        mambridge tenant check sample --user alice@contoso.example
      """)

  @Argument(help: "The tenant folder, or \"sample\" for the built-in tenant.", completion: .directory)
  var folder: String

  @Option(help: "Show only this user, by user principal name or object id. Findings still cover all users.")
  var user: String?

  @Option(help: "Show only this app, by its bundle id or package name.")
  var app: String?

  @Option(help: "Show only this platform.")
  var platform: Platform?

  @Flag(help: "Print one JSON object: tenantId, displayName, users, findings.")
  var json = false

  @OptionGroup var output: OutputOptions

  enum Platform: String, CaseIterable, ExpressibleByArgument { case ios, android, windows }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let check = try read()
        let platform = platform.flatMap { DevicePlatform(rawValue: $0.rawValue) }
        guard let shares = check.shares(of: user.map { AccountReference($0) }, in: app, on: platform) else {
          throw CommandFailure(
            exitCode: 64, message: "the tenant has no user \(user ?? ""); leave out --user to show all users")
        }
        let report = TenantReport(check: check, shares: shares)
        if json {
          try output.print(report.json)
        } else {
          try printResult(report.text(on: .standardOutput(output.color, otherwise: .max)))
        }
        return check.findings.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE
      })
  }

  private func read() throws -> TenantCheck {
    let location = try TenantLocation(argument: folder)
    do throws(TenantError) {
      return try TenantCheck(location)
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }
}

struct TenantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenant",
    abstract: "Work with a tenant folder, where policies come from.",
    subcommands: [CheckTenant.self])
}
