import ArgumentParser
import Glibc
import Support

#if TenantService
  import Database
#endif

struct BackUpStore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a SQLite store, also while the service runs.",
    discussion: """
      Writes one whole state of the store to a new file, which has the mode of the store: who cannot read the store cannot \
      read the copy either. A file that exists is never replaced, and a backup that fails leaves none. Back up PostgreSQL \
      with pg_dump.

      Exit codes: 0 done; 1 the copy cannot be written, for example because the disk is full; 64 invalid command line; 69 the \
      store is busy; 78 there is no such store.

      Examples:

        mambridge-tenant backup /backup/store-$(date +%F).sqlite --store sqlite:/var/lib/mambridge-tenant/store.sqlite
      """)

  @Argument(help: "The new file.", completion: .file()) var file: String

  @Option(help: ArgumentHelp("The store of the service: sqlite:PATH (default: as for serve).", valueName: "store"))
  var store: String?

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let location = try StoreLocation(store ?? StoreLocation.fromSystemd)
        guard case .sqlite(let path, _) = location else {
          throw CommandFailure(
            exitCode: EX_USAGE, message: "backup copies SQLite stores; back up PostgreSQL with pg_dump")
        }
        try location.requireFile()
        do throws(DatabaseError) {
          try SQLiteBackup.copy(path, to: file)
        } catch {
          let code = error.reason == .unavailable ? EX_UNAVAILABLE : EXIT_FAILURE
          throw CommandFailure(exitCode: code, message: "cannot back up the store: \(error.text)")
        }
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}
