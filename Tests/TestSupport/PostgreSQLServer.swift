import Glibc
import Support

/// A server of PostgreSQL in a temporary folder, which listens on a unix socket only. Ends with its owner, or with the
/// process of the tests.
package final class PostgreSQLServer: @unchecked Sendable {  // one test at a time starts and stops it
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The folder of the programs; `nil` if PostgreSQL is not installed here.
  package static let programs: String? = {
    let root = "/usr/lib/postgresql"
    var versions: [Int] = []
    if let folder = opendir(root) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if let version = Int(name) { versions.append(version) }
      }
      closedir(folder)
    }
    return versions.max().map { "\(root)/\($0)/bin" } ?? nil
  }()
  package static let isInstalled = programs.map { access("\($0)/postgres", X_OK) == 0 } == true
  /// For the tests that need no server of their own. Each makes a database of its own.
  package static let shared = Result { try PostgreSQLServer() }

  private static let user = "mambridge"
  private static let lastDatabase = Lock(0)

  private let folder = TemporaryFolder(inMemory: true)
  private var process: Subprocess?

  package init() throws {
    guard Self.isInstalled else { throw Failure(description: "PostgreSQL is not installed") }
    // The server refuses to run as root.
    if Privileges.isRoot {
      guard let entry = getpwnam("postgres") else { throw Failure(description: "there is no user postgres") }
      chown(folder.path, entry.pointee.pw_uid, entry.pointee.pw_gid)
    }
    let made = try Subprocess.run(
      "/usr/bin/env",
      Self.unprivileged
        + [
          Self.program("initdb"), "-D", folder.file("data"), "-A", "trust", "-U", Self.user, "-E", "UTF8",
          "--locale=C.UTF-8", "--no-sync", "--wal-segsize=1",
        ])
    guard made.status == 0 else { throw Failure(description: "initdb failed: \(made.errors)") }
    try start()
  }

  deinit { stop() }

  /// Returns when the server accepts connections.
  package func start() throws {
    let server =
      Self.unprivileged
      + [
        Self.program("postgres"), "-D", folder.file("data"), "-k", folder.path, "-c", "listen_addresses=", "-c",
        "fsync=off", "-c", "max_connections=60", "-c", "shared_buffers=16MB", "-c", "deadlock_timeout=20ms",
        "-c", "min_wal_size=2MB", "-c", "max_wal_size=32MB",
      ]
    // The shell ends the server when its input ends, and removes the folder if nobody had asked for that.
    let script = """
      folder=$1; shift; "$@" >> "$folder/log" 2>&1 & read -r asked; kill -INT $!; wait $!; [ "$asked" ] || rm -r "$folder"
      """
    process = try Subprocess("/bin/sh", ["-c", script, "sh", folder.path, "/usr/bin/env"] + server)
    for _ in 0..<3000 {
      if try query("SELECT 1", in: "postgres").status == 0 { return }
      usleep(10_000)
    }
    throw Failure(
      description: "the server does not start: \(String(decoding: readFile(folder.file("log")) ?? [], as: UTF8.self))")
  }

  /// Ends all connections, and returns when the server has ended.
  package func stop() {
    process?.write("stop\n")
    process?.closeInput()
    _ = try? process?.wait()
    process = nil
  }

  /// Makes an empty database. Returns its name.
  package func makeDatabase() throws -> String {
    let name = "test\(Self.lastDatabase.withLock { last in last += 1; return last })"
    let made = try query("CREATE DATABASE \(name)", in: "postgres")
    guard made.status == 0 else { throw Failure(description: "no database was made: \(made.errors)") }
    return name
  }

  package func url(of database: String) -> String {
    "postgresql:///\(database)?host=\(folder.path)&user=\(Self.user)"
  }

  /// Runs statements as the tests themselves, with psql.
  @discardableResult
  package func query(_ sql: String, in database: String) throws -> Subprocess.Outcome {
    try Subprocess.run(Self.program("psql"), ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, url(of: database)])
  }

  private static var unprivileged: [String] {
    Privileges.isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
  }

  private static func program(_ name: String) -> String { "\(programs ?? "")/\(name)" }
}
