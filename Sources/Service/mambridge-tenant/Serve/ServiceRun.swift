#if TenantService
  import CGlibc
  import Database
  import Glibc
  import HTTPNetwork
  import Support
  import Tenancy
  import TenantService

  /// Runs a server on its store.
  struct ServiceRun: Sendable {
    let location: StoreLocation
    let log: ServiceLog

    /// Opens the store, serves with what the body makes of it until a signal, and closes the store.
    func run(_ body: (PreparedDatabase) async throws -> Void) async throws {
      cglibc_hide_memory()
      HeapMemory.keepLittle()
      try location.claim()
      keepTraces()
      let database = PreparedDatabase(try location.open(), .tenant)
      do {
        try await prepare(database)
        try await body(database)
        await database.close()
      } catch {
        await database.close()
        throw error
      }
    }

    /// Keeps the trace of a crash beside the store, if that is a file, and logs what has ended the service before.
    private func keepTraces() {
      guard case .sqlite(let path, _) = location else { return }
      let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
      let folder = parent.isEmpty ? "/" : parent
      CrashTrace.keep(in: folder)
      CrashFolder(in: folder).tellNew { summary, path in log.write("\(summary.sentence). The trace is in \(path)") }
    }

    /// A server of databases may start later than the service, which is not ready until then.
    private func prepare(_ database: PreparedDatabase) async throws {
      do throws(DatabaseError) {
        try await database.prepare()
      } catch {
        guard database.engine == .postgreSQL, error.reason == .unavailable else { throw CommandFailure.store(error) }
      }
    }

    /// Reads what was served last, and the folder. Without both, there is nothing to serve. Without a folder, reading
    /// goes on later.
    func loadFirst(_ served: ServedTenant) async throws {
      do throws(PublicationFailure) {
        try await served.update()
      } catch {
        if location.folder != nil { log.write(error.description) }
      }
      guard let folder = location.folder else { return }
      let lines = await served.follow(TenantFolderWatch(path: folder), at: SystemClock().now)
      guard served.edition != nil else {
        throw CommandFailure.configuration(lines.first ?? "the folder \(folder) is being changed; start again later")
      }
      for line in lines { log.write(line) }
    }

    /// Serves until a signal, or until the database needs a newer program.
    func serve(_ server: NetworkServer, on database: PreparedDatabase) async throws {
      let serving = Task { try await server.run() }
      let schema = Task { [log] in
        do throws(DatabaseError) {
          try await database.lookAfterSchema { log.write($0) }
          return nil as DatabaseError?
        } catch {
          serving.cancel()
          return error
        }
      }
      let result = await serving.result
      schema.cancel()
      if let error = await schema.value { throw CommandFailure.store(error) }
      do {
        try result.get()
      } catch let error as NetworkError {
        throw CommandFailure(
          exitCode: error.kind == .cannotListen ? EX_UNAVAILABLE : EXIT_FAILURE, message: error.description)
      }
    }
  }
#endif
