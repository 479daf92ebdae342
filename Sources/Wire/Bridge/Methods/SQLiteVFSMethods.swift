import JSON
import JSONRPC
import MAM
import Model

/// The SDK patches the structure of an app's own SQLite in memory. No pointer crosses a process, so this needs a library
/// inside the host, which does not exist yet. Until then both calls fail, so that no host takes its databases for
/// protected.
enum ProtectSQLiteVFS: ImmediateMethod {
  static let name = "fileProtectionManager.protectSqliteVFS"
  static let summary = "Get an SQLite extension that keeps databases encrypted."
  static let details = """
    Not available yet: the call always ends with notAvailable, because it needs a library inside the host, which \
    mambridge does not have. Protect a database as a whole file instead, while no program has it open.
    """
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("account", \.account, "The owner of the databases; defaults to the effective identity."))
  }
  struct Result: Record {
    var `extension`: String
    var vfs: String
    var uri: String
    static let schemaName = "SQLiteVFS"
    static let fields = Fields(
      Self.init, Field("extension", \.extension, "The path of the run-time loadable extension."),
      Field("vfs", \.vfs, "The name of the VFS that the extension registers."),
      Field("uri", \.uri, "What to append to the file: URI of a database."))
  }
  static let resultSummary = "What to load, and how to open a database with it."
  static let errors: [ErrorCode] = [.notAvailable]
  static let example = Example(
    Params(account: "alice@contoso.example"),
    Result(extension: "/usr/lib/mambridge/mamvfs.so", vfs: "mam", uri: "?vfs=mam"))
  static let sdkMembers = ["IntuneMAMFileProtectionManager -protectSqliteVFS:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> Result {
    throw RPCError(.noSQLiteVFS)
  }
}

enum UnprotectSQLiteVFS: ImmediateMethod {
  static let name = "fileProtectionManager.unprotectSqliteVFS"
  static let summary = "Stop using the VFS of protectSqliteVFS on this connection."
  static let details = "Not available yet: the call always ends with notAvailable, as protectSqliteVFS does."
  struct Params: Record {
    var vfs: String
    static let fields = Fields(Self.init, Field("vfs", \.vfs, "The name of the VFS, as protectSqliteVFS returned it."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.notAvailable]
  static let example = Example(Params(vfs: "mam"), Nothing())
  static let sdkMembers = ["IntuneMAMFileProtectionManager -unprotectSqliteVFS:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> Nothing {
    throw RPCError(.noSQLiteVFS)
  }
}

extension MAMError {
  fileprivate static let noSQLiteVFS = MAMError(
    .notAvailable,
    "databases cannot be protected page by page: this needs a library inside the host, which does not exist yet",
    hint: "Close the database, and protect it as a file with fileProtectionManager.protect")
}
