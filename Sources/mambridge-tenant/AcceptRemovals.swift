import ArgumentParser
import Glibc
import Support
import Tenancy

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
      it go: the version that was published last applies as it is. A service that runs follows within seconds.

      Works on the store itself, also while the service runs. With PostgreSQL, mambridge-tenant publish FOLDER \
      --allow-removals does the same for a folder.

      Exit codes: 0 done, or nothing was kept; 64 invalid command line; 69 the database cannot be reached; 78 there is no \
      such store, or it is newer or older than this program.

      Examples:

        # See what is kept, and let it go
        mambridge-tenant accept --store sqlite:/var/lib/mambridge-tenant/store.sqlite --dry-run
        mambridge-tenant accept --store sqlite:/var/lib/mambridge-tenant/store.sqlite
      """)

  @Option(
    help: ArgumentHelp(
      "The store of the service: sqlite:PATH, or postgresql://USER@HOST/DATABASE (default: as for serve).",
      valueName: "store"))
  var store: String?

  @Flag(help: "Print what is kept, and change nothing.")
  var dryRun = false

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let location = try StoreLocation(store ?? StoreLocation.fromSystemd)
        try location.requireFile()
        let database = try location.open()
        let isPreview = dryRun
        let line = try waiting { try await Self.accept(in: database, isPreview: isPreview) }
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
    /// Returns what to print, and closes the database.
    private static func accept(in database: any Database, isPreview: Bool) async throws -> String {
      let result: Result<HeldRemovals, any Error>
      do { result = .success(try await held(in: database, isPreview: isPreview)) } catch { result = .failure(error) }
      await database.close()
      do {
        let held = try result.get()
        guard !held.isEmpty else { return "nothing is held back" }
        return (isPreview ? "held back: " : "removed: ") + held.summary
      } catch let error as DatabaseError {
        throw CommandFailure.store(error)
      } catch let error as PublicationFailure {
        if case .database(let error) = error { throw CommandFailure.store(error) }
        throw CommandFailure.configuration(error.description)
      }
    }

    private static func held(in database: some Database, isPreview: Bool) async throws -> HeldRemovals {
      guard try await DatabaseSchema.tenant.isApplied(to: database) else {
        throw DatabaseError(.newerSchema, "it is older than this program; start the service once")
      }
      let store = TenantStore(current: database)
      return try await isPreview ? store.heldRemovals() : store.acceptRemovals(by: "accept", at: SystemClock().now)
    }
  }
#endif
