import Glibc
import Model
import Support
import TestSupport

@testable import MAM

/// The database of a state with damage: it is read, or an error says that it cannot be.
func checkDatabase(_ bytes: [UInt8]) {
  let fixture = DatabaseFixture.shared
  fixture.write(Edits(bytes).applied(to: fixture.original))
  guard let store = try? Store(path: fixture.path, migrations: StateSchema.app) else { return }
  _ = try? store.load()
  _ = try? store.events(EventQuery(after: 0))
  _ = try? store.time()
  _ = try? store.salt()
  _ = try? store.change(at: Timestamp(milliseconds: 1_770_000_000_000)) { _ in }
  store.close()
}

private final class DatabaseFixture: Sendable {
  static let shared = DatabaseFixture()
  private let folder = TemporaryFolder(inMemory: true)
  let path: String
  /// With all tables, a salt and a time.
  let original: [UInt8]

  private init() {
    path = folder.file("state.db")
    let store = try? Store(path: path, migrations: StateSchema.app)
    _ = try? store?.salt()
    _ = try? store?.change(at: Timestamp(milliseconds: 1_770_000_000_000)) { _ in }
    store?.purge()
    store?.close()
    original = (try? FileContents.read(path)) ?? []
    check(original.count > 10_000, "the state has no database")
  }

  /// Puts the bytes in the place of the database, without a log.
  func write(_ bytes: [UInt8]) {
    for name in ["", "-wal", "-shm"] { unlink(path + name) }
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
  }
}
