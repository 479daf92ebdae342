import ArgumentParser
import Bridge
import JSON

struct ShowStatus: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the accounts, their verdicts and their next check-ins on one screen.",
    discussion: """
      Prints a line for each registered account, and below the table every reason for a verdict other than allow and \
      for a check-in that failed, and for an account without a policy why none applies. --json prints the result of \(API.information).

        state          the account's life, as in docs/account-life.md
        verdict        what its launch checks say now: allow, block or wipe;
                       asks if only an answer of the user is missing, such
                       as a PIN or the acceptance of a warning; - without
                       a policy. Nobody is asked
        answered       when the policy source last answered
        next check-in  when the next one is due. Only a running server or
                       another command, such as call, checks in

      status reads the state folder beside any running server. It takes no lock, changes nothing and checks in nobody, \
      so it can run at any time. Pass --tenant to see whether the policy source can be read, and --set and --settings \
      as the server got them, because settings count for the verdicts. Only --connect shows what a server keeps in \
      memory: enrollments that have not ended, and a pending restart.

      Exit codes: 1 there is no state, or it cannot be read; 69 no server.

      Examples:

        # Show all accounts
        mambridge status

        # Print the verdict on each account
        mambridge status --json | jq -r '.accounts[] | "\\(.identity) \\(.verdict)"'
      """)

  @Flag(help: "Print the status as JSON.")
  var json = false

  @OptionGroup var server: ServerOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var core: CoreOptions

  func run() throws {
    let code = look(asJSON: json) { lookout in
      let information = try lookout.ask(API.information)
      guard !json else { return try output.print(information) }
      let report = StatusReport(
        information, of: server.connect ?? core.arguments.shownState,
        tenant: server.connect == nil ? core.tenant ?? Variable.tenant.value : nil)
      try lookout.attention.print(report.text(on: .standardOutput(output.color, otherwise: StatusReport.widest)))
    }
    throw ExitCode(code)
  }
}

extension CoreArguments {
  /// The state folder for people; the errors of an unusable folder are reported elsewhere.
  fileprivate var shownState: String { (try? stateFolder().root) ?? state ?? "" }
}
