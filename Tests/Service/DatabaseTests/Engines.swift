import Database
import TestSupport

#if TenantService
  import PostgreSQL
#endif

/// The engines that tests can use here.
enum Engines {
  #if TenantService
    static let hasPostgreSQL = PostgreSQLServer.isInstalled
  #else
    static let hasPostgreSQL = false
  #endif

  static let all: [DatabaseEngine] = hasPostgreSQL ? [.sqlite, .postgreSQL] : [.sqlite]
  /// Those that several replicas share, into which a folder is published.
  static let replicated = all.filter { $0 == .postgreSQL }

  /// Makes an empty database.
  static func open(_ engine: DatabaseEngine, in folder: TemporaryFolder) throws -> any Database {
    switch engine {
    case .sqlite:
      return try SQLiteDatabase(path: folder.file("service.sqlite"))
    case .postgreSQL:
      #if TenantService
        let server = try PostgreSQLServer.shared.get()
        return try PostgreSQLDatabase(PostgreSQLOptions(url: server.url(of: server.makeDatabase())))
      #else
        throw DatabaseError(.failed, "PostgreSQL needs the trait TenantService")
      #endif
    }
  }
}
