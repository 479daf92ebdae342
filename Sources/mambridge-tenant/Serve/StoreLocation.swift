import Database
import Glibc

/// Where the store of the service is.
enum StoreLocation: Equatable, Sendable {
  /// A file, and the tenant folder that is served with it.
  case sqlite(path: String, folder: String)
  case postgreSQL(url: String)

  private static let filePrefix = "sqlite:"
  private static let serverPrefixes = ["postgresql://", "postgres://"]

  /// In the folder that systemd makes for a service with StateDirectory=; `nil` without one.
  static var fromSystemd: String? {
    environment("STATE_DIRECTORY").map {
      filePrefix + ($0.split(separator: ":").first.map(String.init) ?? $0) + "/store.sqlite"
    }
  }

  init(_ text: String?, folder: String?) throws {
    guard let text else {
      throw Self.usage("name the store: --store sqlite:PATH, or --store postgresql://USER@HOST/DATABASE")
    }
    if Self.serverPrefixes.contains(where: { text.hasPrefix($0) }) {
      guard folder == nil else {
        throw Self.usage("with PostgreSQL, serve takes no folder; publish it with mambridge-tenant publish")
      }
      self = .postgreSQL(url: text)
      return
    }
    guard text.hasPrefix(Self.filePrefix), text.count > Self.filePrefix.count else {
      throw Self.usage("the store must be sqlite:PATH or postgresql://USER@HOST/DATABASE")
    }
    guard let folder else { throw Self.usage("name the tenant folder that is served with the SQLite store") }
    self = .sqlite(path: String(text.dropFirst(Self.filePrefix.count)), folder: folder)
  }

  private static func usage(_ message: String) -> CommandFailure {
    CommandFailure(exitCode: EX_USAGE, message: message)
  }

  var folder: String? {
    if case .sqlite(_, let folder) = self { folder } else { nil }
  }
}
