import ArgumentParser
import Glibc
import JSON
import MAM
import Model
import Tenancy

struct CheckTenant: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say who gets which policy of a tenant's folder, and what in it looks wrong.",
    discussion: """
      Reads and targets as a check-in does, and changes nothing. First a row for each user, app and platform; an app * is \
      any that the tenant does not name. Then a line for each finding: members that are not known and values that do not \
      parse, bundle ids among schemes, actions that a harsher one always comes before, overlapping assignments, policies \
      that are merged or that nobody gets, groups and users that are not there, users without policy, files that are not \
      read. Exit code 0: nothing was found; 1: something was; 64: wrong command line; 78: there is no such folder.
      """)

  @Argument(help: "The folder that --tenant would name.", completion: .directory)
  var folder: String

  @Option(help: "Show one user only, by user principal name or object id. Findings are about all.")
  var user: String?

  @Option(help: "Show one app only, by its bundle id or package.")
  var app: String?

  @Option(help: "Show one platform only: ios or android.")
  var platform: Platform?

  @Flag(help: "One JSON object: tenantId, displayName, users, findings.")
  var json = false

  enum Platform: String, CaseIterable, ExpressibleByArgument { case ios, android }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        let check = try read()
        let platform = platform.flatMap { DevicePlatform(rawValue: $0.rawValue) }
        guard let shares = check.shares(of: user.map { AccountReference($0) }, in: app, on: platform) else {
          throw CommandFailure(
            exitCode: 64, message: "the tenant lists no user \(user ?? ""); without --user all are shown")
        }
        let report = TenantReport(check: check, shares: shares)
        try printResult(json ? report.json.jsonText + "\n" : report.text(on: .standardOutput(otherwise: .max)))
        return check.findings.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE
      })
  }

  private func read() throws -> TenantCheck {
    do throws(TenantError) {
      return try TenantCheck(folder: folder.absolutePath)
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }
}

struct TenantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenant",
    abstract: "Work with the folder that policies come from.",
    subcommands: [CheckTenant.self])
}
