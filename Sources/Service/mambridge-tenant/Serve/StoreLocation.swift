import Database
import Glibc
import Support

#if TenantService
  import PostgreSQL
#endif

/// Where the store of the service is.
enum StoreLocation: Equatable, Sendable {
  /// A file, and the tenant folder that is served with it, if it is to be served.
  case sqlite(path: String, folder: String?)
  case postgreSQL(url: String)

  private static let filePrefix = "sqlite:"
  private static let serverPrefixes = ["postgresql://", "postgres://"]

  /// In the folder that systemd makes for a service with StateDirectory=; `nil` without one.
  static var fromSystemd: String? {
    environment("STATE_DIRECTORY").map {
      filePrefix + ($0.split(separator: ":").first.map(String.init) ?? $0) + "/store.sqlite"
    }
  }

  /// To serve a tenant from it.
  init(_ text: String?, folder: String?) throws {
    try self.init(text)
    switch self {
    case .sqlite(let path, _):
      guard let folder else { throw Self.usage("name the tenant folder that is served with the SQLite store") }
      self = .sqlite(path: path, folder: folder)
    case .postgreSQL:
      guard folder == nil else {
        throw Self.usage("with PostgreSQL, serve takes no folder; publish it with mambridge-tenant publish")
      }
    }
  }

  /// To read from it.
  init(_ text: String?) throws {
    guard let text else {
      throw Self.usage("name the store: --store sqlite:PATH, or --store postgresql://USER@HOST/DATABASE")
    }
    if Self.serverPrefixes.contains(where: { text.hasPrefix($0) }) {
      self = .postgreSQL(url: text)
      return
    }
    guard text.hasPrefix(Self.filePrefix), text.count > Self.filePrefix.count else {
      throw Self.usage("the store must be sqlite:PATH or postgresql://USER@HOST/DATABASE")
    }
    self = .sqlite(path: String(text.dropFirst(Self.filePrefix.count)), folder: nil)
  }

  private static func usage(_ message: String) -> CommandFailure {
    CommandFailure(exitCode: EX_USAGE, message: message)
  }

  var folder: String? {
    if case .sqlite(_, let folder) = self { folder } else { nil }
  }
}

#if TenantService
  extension StoreLocation {
    /// Throws if the file does not exist, which opening it would create.
    func requireFile() throws {
      guard case .sqlite(let path, _) = self, access(path, F_OK) != 0 else { return }
      throw CommandFailure.configuration("cannot open the store \(path): \(SystemError.current.text)")
    }

    /// Keeps other services off the file until this process ends: each would answer from its own version of the tenant,
    /// and wake only its own hosts. Creates the file if it does not exist.
    func claim() throws {
      guard case .sqlite(let path, _) = self else { return }
      // Stays open: SQLite loses its own locks when the process closes any descriptor of the file.
      let file = Glibc.open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o600)
      guard file >= 0 else {
        throw CommandFailure.configuration("cannot open the store \(path): \(SystemError.current.text)")
      }
      switch Flock.take(file) {
      case .taken: return
      case .failed(let error): throw CommandFailure.configuration("cannot lock the store \(path): \(error.text)")
      case .held:
        throw CommandFailure(
          exitCode: EX_UNAVAILABLE,
          message: "\(LockHolder.name(of: file)) already serves the store \(path). Stop that process, or use "
            + "PostgreSQL, which several services can share.")
      }
    }

    func open() throws -> any Database {
      do throws(DatabaseError) {
        switch self {
        case .sqlite(let path, _): return try SQLiteDatabase(path: path)
        case .postgreSQL(let url): return PostgreSQLDatabase(try PostgreSQLOptions(url: url))
        }
      } catch {
        guard case .sqlite(let path, _) = self, error.reason == .failed else {
          throw CommandFailure.configuration("cannot open the store: \(error.text)")
        }
        throw CommandFailure.configuration(
          "cannot open the store \(path): \(error.text). Bring back a backup, or remove the file to begin without "
            + "registrations.")
      }
    }
  }

  extension CommandFailure {
    static func store(_ error: DatabaseError) -> CommandFailure {
      let code = error.reason == .unavailable ? EX_UNAVAILABLE : EX_CONFIG
      return CommandFailure(exitCode: code, message: "cannot use the store: \(error.text)")
    }
  }
#endif
