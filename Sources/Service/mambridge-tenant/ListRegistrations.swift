import ArgumentParser
import Glibc
import GraphPull
import JSON
import Support

struct ListRegistrations: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "registrations",
    abstract: "List the apps that are enrolled with a tenant service.",
    discussion: """
      Prints a row for each app of each user on each device: when it last checked in, and the device tag that a wipe names. \
      mambridge status shows the tag of the host that it runs on, so that two states of one machine can be told apart. The \
      token must have a role that may read; see --admin-role of serve.

      --operations also shows the wipes of each app and how far they are, and the apps whose registration ended in the last \
      30 days: left (the account was unenrolled, as a wipe does), replaced (by another registration in its place), or unseen.

      --editions also shows which edition of the tenant each app has, as of its last check-in. mambridge-tenant history lists \
      the editions.

      Exit codes: 0 done; 1 the service refuses; 64 invalid command line; 69 the service cannot be reached or is too busy; \
      77 no token, or its role may not read.

      Examples:

        mambridge-tenant registrations https://mam.contoso.example --token-command ./admin-token

        # Whether the wipes of one user are done
        mambridge-tenant registrations https://mam.contoso.example --token-command ./admin-token \\
          --user alice@contoso.example --operations
      """)

  @Argument(help: ServiceAddress.help) var service: ServiceAddress

  @Option(help: "Show only this user, by user principal name or object id.")
  var user: String?

  @Flag(help: "Also show the wipes of each app, how far they are, and the apps that ended in the last 30 days.")
  var operations = false

  @Flag(help: "Also show which edition of the tenant each app has.")
  var editions = false

  @Flag(help: "Print one JSON array, with the objects of the service.")
  var json = false

  @OptionGroup var options: AdministratorOptions

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      let administration = try options.makeAdministration(of: service)
      let (user, operations, editions) = (user, operations, editions)
      let rows = try waitingForGraph {
        try await administration.registrations(of: user, withOperations: operations, withEditions: editions)
      }
      try printResult(json ? Self.json(rows) : text(rows))
      return EXIT_SUCCESS
    }
  }

  private static func json(_ rows: [ListedRegistration]) -> String {
    let values = rows.map { row -> JSONValue in
      var object = row.object
      object["userPrincipalName"] = row.userPrincipalName.map(JSONValue.string) ?? .null
      return .object(object)
    }
    return JSONValue.array(values).jsonText + "\n"
  }

  private func text(_ rows: [ListedRegistration]) -> String {
    guard !rows.isEmpty else { return "no registrations\n" }
    let more = (editions ? ["EDITION"] : []) + (operations ? ["ENDED", "OPERATIONS"] : [])
    return TextTable.text(
      ListedRegistration.columns + more,
      rows.map { $0.row + (editions ? [$0.edition] : []) + (operations ? Self.operations(of: $0) : []) })
  }

  private static func operations(of row: ListedRegistration) -> [String] {
    let states = row.operations.map { "\($0.text("displayName")) \($0.text("state"))".shown(atMost: 80) }
    return [row.end.shown(atMost: 40), states.joined(separator: ", ")]
  }
}

/// Waits for work on a service, and turns its failure into that of the command.
func waitingForGraph<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  do { return try waiting(body) } catch let failure as GraphFailure { throw failure.commandFailure }
}
