import ArgumentParser
import Glibc
import JSON
import Support

#if TenantService
  import Database
  import TenantService
#endif

struct ShowAudit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Print the audit of a tenant service: who enrolled, ordered, published and read what.",
    discussion: """
      Reads the store itself, also while the service runs or cannot run. Prints a line for each entry, oldest first: the \
      time, who did it, what, to what, and the outcome, with tabs in between. The actor is the object id of a user; for a \
      program without one, the claim that names it, such as "azp:reporting"; "uid:ID@HOST" for the command hold, with the \
      system's user and machine; or "folder", "publish", "accept", "history" or "service". Entries are kept for 400 days.

      Each call of an administrator is an entry. Check-ins are not, and of refused calls only one an hour of each caller.

      Exit codes: 0 done; 64 invalid command line; 69 the database cannot be reached; 74 cannot write the output; 78 there \
      is no such store, or it is newer than this program.

      Examples:

        # Who ordered which wipes this year
        mambridge-tenant audit --store sqlite:/var/lib/mambridge-tenant/store.sqlite --since 2026-01-01 --action order

        # What one administrator did, for another program
        mambridge-tenant audit --store "$STORE" --json | jq -c 'select(.actor == "11111111-2222-4333-8444-555555555555")'
      """)

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp(
      "Only entries of this time and later, such as 2026-01-31 or 2026-01-31T09:30:00Z.", valueName: "time"))
  var since: AuditTime?

  @Option(
    help: ArgumentHelp(
      """
      Only entries of this action: enroll, leave, replace, publish, edit, hold, lift, accept, order, cancel, complete, read or \
      refuse. Repeatable.
      """, valueName: "action"))
  var action: [String] = []

  @Flag(help: "Print a JSON object for each entry.")
  var json = false

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let actions = try actions()
        let printer = AuditPrinter(since: since?.time, actions: actions, isJSON: json)
        try store.use { try await printer.printAll($0.database) }
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}

/// A time on the command line: a date means its beginning in UTC.
struct AuditTime: ExpressibleByArgument {
  let time: Timestamp

  init?(argument: String) {
    guard let time = Timestamp(argument) ?? Timestamp(argument + "T00:00:00Z") else { return nil }
    self.time = time
  }
}

#if TenantService
  extension ShowAudit {
    private func actions() throws -> Set<AuditEntry.Action> {
      let known = try action.map { name in
        guard let action = AuditEntry.Action(rawValue: name) else {
          let names = AuditEntry.Action.allCases.map(\.rawValue).joined(separator: ", ")
          throw CommandFailure(exitCode: EX_USAGE, message: "there is no action \"\(name)\". Known actions: \(names)")
        }
        return action
      }
      return Set(known.isEmpty ? AuditEntry.Action.allCases : known)
    }
  }

  private struct AuditPrinter: Sendable {
    private static let entriesAtOnce = 1000
    private static let longestText = 500

    let since: Timestamp?
    let actions: Set<AuditEntry.Action>
    let isJSON: Bool

    func printAll(_ database: any Database) async throws {
      var last: Int64? = 0
      while let after = last {
        let (time, limit) = (since, Self.entriesAtOnce)
        let entries = try await database.read { session throws(DatabaseError) in
          try session.auditEntries(after: after, since: time, limit: limit)
        }
        let lines = entries.filter { actions.contains($0.entry.action) }.map { line($0.number, $0.entry) + "\n" }
        try printResult(lines.joined())
        // A page without the actions of newer programs may have fewer entries than asked for.
        last = entries.last?.number
      }
    }

    private func line(_ number: Int64, _ entry: AuditEntry) -> String {
      let texts = [
        ("time", entry.time.description), ("actor", entry.actor), ("action", entry.action.rawValue),
        ("subject", entry.subject), ("outcome", entry.outcome),
      ]
      guard isJSON else { return texts.map { $0.1.shown(atMost: Self.longestText) }.joined(separator: "\t") }
      var object: JSONObject = ["number": .integer(number)]
      for (name, text) in texts { object[name] = .string(text) }
      return object.jsonText
    }
  }
#endif
