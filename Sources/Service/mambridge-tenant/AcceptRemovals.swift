import ArgumentParser
import Glibc
import Support

#if TenantService
  import Database
  import TenantService
#endif

struct AcceptRemovals: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Let go what a tenant service keeps although its folder no longer has it.",
    discussion: """
      A version of the tenant that lacks many users or policies, the last of either, or everybody in a group that a policy \
      is assigned to may be damaged, so serve and publish keep what is missing. This command prints what is kept, and lets \
      it go: the version that was published last applies as it is. With --revision, it lets go only what --dry-run has \
      printed with that revision. A service that runs follows within seconds.

      Works on the store itself, also while the service runs. With PostgreSQL, mambridge-tenant publish FOLDER \
      --allow-removals does the same for a folder.

      Exit codes: 0 done, or nothing was kept; 1 something else is kept than --revision names; 64 invalid command line; 69 \
      the database cannot be reached; 78 there is no such store, or it is newer or older than this program.

      Examples:

        # See what is kept, and let it go
        mambridge-tenant accept --store sqlite:/var/lib/mambridge-tenant/store.sqlite --dry-run
        mambridge-tenant accept --store sqlite:/var/lib/mambridge-tenant/store.sqlite --revision 5e2a90c1
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print what is kept, and change nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("Let go only what --dry-run has printed with this revision.", valueName: "revision"))
  var revision: String?

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let (isPreview, revision) = (dryRun, revision)
        let line = try store.use { try await Self.line(from: $0, isPreview: isPreview, revision) }
        try printResult(line + "\n")
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}

#if TenantService
  extension AcceptRemovals {
    /// What to print.
    private static func line(
      from store: TenantStore, isPreview: Bool, _ revision: String?
    ) async throws -> String {
      let kept = try await store.heldRevision()
      if isPreview {
        let lines = "held back: \(kept.held.summary)\nrevision: \(kept.revision)"
        return kept.held.isEmpty ? "nothing is held back" : lines
      }
      let removed = try await store.acceptRemovals(by: "accept", at: SystemClock().now, revision: revision)
      return removed.isEmpty ? "nothing is held back" : "removed: " + removed.summary
    }
  }
#endif
