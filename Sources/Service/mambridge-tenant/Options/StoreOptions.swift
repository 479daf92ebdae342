import ArgumentParser
import Glibc
import Support

#if TenantService
  import Database
  import TenantService
#endif

/// The store of a service, for a command that works on it itself, also while the service runs.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store of the service: sqlite:PATH, or postgresql://USER@HOST/DATABASE (default: as for serve).",
      valueName: "store"))
  var store: String?

  #if TenantService
    /// Throws if the command line names none, or one that is not there.
    var location: StoreLocation {
      get throws {
        let location = try StoreLocation(store ?? StoreLocation.fromSystemd)
        try location.requireFile()
        return location
      }
    }

    /// Opens the store, and closes it afterwards. Throws exit code 78 for the store of an older or newer program.
    func use<Value: Sendable>(_ body: @escaping @Sendable (TenantStore) async throws -> Value) throws -> Value {
      let database = try location.open()
      return try waiting {
        let result: Result<Value, any Error>
        do { result = .success(try await body(try await Self.store(in: database))) } catch { result = .failure(error) }
        await database.close()
        do { return try result.get() } catch { throw Self.failure(error) }
      }
    }

    private static func store(in database: some Database) async throws(DatabaseError) -> TenantStore {
      guard try await DatabaseSchema.tenant.isApplied(to: database) else {
        throw DatabaseError(.newerSchema, "it is older than this program; start the service once")
      }
      return TenantStore(current: database)
    }

    private static func failure(_ error: any Error) -> any Error {
      switch error {
      case let error as DatabaseError: CommandFailure.store(error)
      case PublicationFailure.database(let error): CommandFailure.store(error)
      case let error as PublicationFailure where error == .outdated:
        CommandFailure(exitCode: EXIT_FAILURE, message: error.description)
      case let error as PublicationFailure: CommandFailure.configuration(error.description)
      case let error as EditionFault: CommandFailure.configuration(error.description)
      default: error
      }
    }
  #endif
}
