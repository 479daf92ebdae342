import ArgumentParser
import Glibc
import GraphPull
import HTTP
import JSON
import Model
import Support
import Tenancy
import Transport

struct PullTenant: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Copy policies, users and groups from Microsoft Graph, or from a tenant service, into a folder.",
    discussion: """
      Reads the app protection policies and app configurations of Intune with their apps and assignments, the users with \
      their licenses, and who is in the groups that assignments name, directly or through other groups. Writes all of it \
      into a new folder, and puts that in the place of FOLDER in one step. If anything fails, FOLDER stays as it is. FOLDER \
      can be served, or used by mambridge, at the same time.

      Owner and modes of FOLDER stay; a new folder is private to the user. tenant.json keeps what Graph does not know: \
      assignments, operations, allowedAccounts, certificatePins, mdm, authentication, unknownRestrictions, and of each user the clock and the \
      groups that have a name instead of an id. A folder with other files than those of pull is never replaced.

      A list of Graph that ends too early must not remove anything. A user or policy that is not listed any longer stays, \
      unless Graph, asked about it, says that it does not exist: then the user gets "deleted": true, and the policy goes. \
      A pull that would remove more than a tenth of the users, licenses or policies besides these (--most-removals), the \
      last of any, or everybody from a group that a policy is assigned to, changes nothing, and ends with exit code 65. \
      If the removals are meant, pull once with --allow-removals, which also removes policies without asking about them.

      If an assignment has a filter, the filters are read too, into filters/. A user has a license if a plan of Intune is \
      enabled for the user. What Graph does not say clearly about a user stays as tenant.json has it.

      The app registration needs these application permissions, with an administrator's consent: \
      DeviceManagementApps.Read.All, DeviceManagementConfiguration.Read.All (for Windows), User.Read.All, \
      GroupMember.Read.All and Organization.Read.All. With --directory-id as a GUID, the last one may be missing.

      Without a secret, a certificate or a token command, pull signs in as a person, with delegated permissions of the same \
      names: silently after mambridge-tenant login, else by device code on a terminal.

      With --service, the tenant comes from a mambridge-tenant service. It does not say what only its tenant.json has: \
      operations, allowedAccounts, certificatePins, mdm, authentication, unknownRestrictions, deleted users, and filters. \
      The assignments in its tenant.json become the groups and apps of each policy. mambridge tenant diff reads services in \
      this way.

      Exit codes: 0 pulled, or SIGTERM with --watch; 1 Graph refuses or answers nonsense; 64 invalid command line; 65 too \
      much would be removed; 69 Graph cannot be reached or is too busy; 74 FOLDER cannot be written; 77 no token, or a \
      permission is missing; 78 invalid configuration; 130 or 143 ended by a signal.

      Examples:

        # Once, as an app with a certificate
        mambridge-tenant pull contoso --client-id $APP --directory-id $DIRECTORY --certificate app.pem

        # Twice an hour, as a service
        mambridge-tenant pull /var/lib/mambridge/contoso --watch PT30M --client-id $APP --directory-id $DIRECTORY \\
          --client-secret-file /run/credentials/secret

        # As yourself, with the Azure command line
        mambridge-tenant pull contoso --token-command \\
          'az account get-access-token --resource https://graph.microsoft.com --query accessToken --output tsv'
      """)

  @Argument(help: "The tenant folder to write.", completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("Pull again after each interval, such as PT30M, until SIGTERM.", valueName: "interval"))
  var watch: String?

  @Flag(help: "Leave out policies for Windows, which need a permission of their own.")
  var withoutWindows = false

  @OptionGroup(title: "Removals") var removals: AcceptableRemovalOptions

  @Option(
    help: ArgumentHelp("With --watch, serve /metrics for Prometheus here: http://127.0.0.1:PORT.", valueName: "url"))
  var metrics: String?

  @Flag(help: "Print what changed as one JSON object.")
  var json = false

  @OptionGroup var graph: GraphOptions

  func validate() throws {
    guard let watch else {
      guard metrics == nil else { throw ValidationError("--metrics needs --watch.") }
      return
    }
    guard !removals.allowRemovals else {
      throw ValidationError("--allow-removals is for one pull. Leave out --watch.")
    }
    guard let interval = ISODuration(watch), interval.seconds >= 60 else {
      throw ValidationError("--watch must be a duration of at least a minute, such as PT30M or PT2H.")
    }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    let cancellation = Cancellation()
    try reportingFailure {
      let run = PullRun(
        try graph.makePull(leavingOutWindows: withoutWindows, progress: PullProgress().show),
        into: folder, limit: removals.limit)
      let (json, watch) = (json, watch.flatMap { ISODuration($0) })
      let metrics = try PullMetrics(at: metrics)
      let code = try waiting {
        await cancellation.run {
          guard let watch else { return Self.report(await Self.pull(run), json) }
          return await Self.serving(metrics) {
            await PullWatch(every: .seconds(watch.seconds)).run {
              await Self.pull(run)
            } report: { result in
              metrics.note(result)
              _ = Self.report(result, json, next: watch)
            }
          }
        }
      }
      return watch == nil ? cancellation.exitCode ?? code : code
    }
  }

  /// Returns the exit code.
  private static func serving(_ metrics: PullMetrics, _ body: () async -> Void) async -> Int32 {
    do {
      try await metrics.serve(during: body)
      return EXIT_SUCCESS
    } catch {
      let failure = error as? CommandFailure
      printError("mambridge-tenant: \(failure?.message ?? "\(error)")")
      return failure?.exitCode ?? EXIT_FAILURE
    }
  }

  private static func pull(_ run: PullRun) async -> Result<PullRun.Outcome, PullFailure> {
    await Task(executorPreference: BlockingExecutor.shared) { await pulled(run) }.valueWhenCanceled
  }

  private static func pulled(_ run: PullRun) async -> Result<PullRun.Outcome, PullFailure> {
    do throws(PullFailure) { return .success(try await run.run()) } catch { return .failure(error) }
  }

  /// Returns the exit code.
  private static func report(
    _ result: Result<PullRun.Outcome, PullFailure>, _ json: Bool, next: ISODuration? = nil
  ) -> Int32 {
    PullProgress.clear()
    switch result {
    case .failure(let failure):
      let rest = next.map { " The folder stays as it is; the next try is in \($0.spoken)." } ?? ""
      printError("mambridge-tenant: \(failure.text)\(rest)")
      return failure.removals > 0 ? EX_DATAERR : failure.kind?.exitCode ?? EX_IOERR
    case .success(let outcome):
      for finding in outcome.findings { printError("finding: \(finding)") }
      do { try printResult(text(of: outcome, json)) } catch { return EX_IOERR }
      return EXIT_SUCCESS
    }
  }

  private static func text(of outcome: PullRun.Outcome, _ json: Bool) -> String {
    guard json else {
      let summary = "\(outcome.policies) policies and configurations, \(outcome.users) users"
      return (outcome.changes.lines + outcome.audiences.map(\.line) + [summary]).joined(separator: "\n") + "\n"
    }
    var object = outcome.changes.jsonValue.objectValue ?? [:]
    object["findings"] = .array(outcome.findings.map(JSONValue.string))
    object["policies"] = .integer(Int64(outcome.policies))
    object["users"] = .integer(Int64(outcome.users))
    object["audiences"] = .array(outcome.audiences.map(\.jsonValue))
    return JSONValue.object(object).jsonText + "\n"
  }
}

extension PolicyAudience {
  fileprivate var line: String {
    let name = (displayName.isEmpty ? id : displayName).shown(atMost: 120)
    return "\(name): applies to " + (count == 0 ? "nobody" : "\(count) of \(all) users")
  }

  fileprivate var jsonValue: JSONValue {
    [
      "id": .string(id), "displayName": .string(displayName), "users": .integer(Int64(count)),
      "of": .integer(Int64(all)),
    ]
  }
}

extension Task where Failure == Never {
  /// The value. Cancels the task if the one that waits is canceled.
  fileprivate var valueWhenCanceled: Success {
    get async {
      await withTaskCancellationHandler {
        await value
      } onCancel: {
        cancel()
      }
    }
  }
}

/// What a pull reads at the moment, in one line on stderr if that is a terminal.
struct PullProgress: Sendable {
  private static let isOn = isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb"

  func show(_ part: String, _ count: Int) {
    guard Self.isOn else { return }
    Self.draw("\r\(part): \(count)\u{1B}[K")
  }

  static func clear() {
    if isOn { draw("\r\u{1B}[K") }
  }

  private static func draw(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
