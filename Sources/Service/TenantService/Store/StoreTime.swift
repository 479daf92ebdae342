import Database
import Support

/// The time of the store, from which all ages come: that of PostgreSQL, which all replicas share, or with SQLite that of
/// this process.
///
/// The clock of a replica must not make what it stores look old or new to the others, so between two looks at
/// PostgreSQL's clock only the uptime of the machine counts.
package final class StoreTime: Sendable {
  /// In milliseconds.
  private static let freshFor: Int64 = 60_000

  private let clock: any Clock
  private let last = Lock<(time: Timestamp, uptime: Uptime)?>(nil)

  package init(_ clock: any Clock) { self.clock = clock }

  package func now(in database: any Database) async throws(DatabaseError) -> Timestamp {
    guard database.engine == .postgreSQL else { return clock.now }
    let uptime = clock.uptime
    if let uptime, let last = last.withLock({ $0 }), let passed = uptime.since(last.uptime), passed < Self.freshFor {
      return last.time.advanced(by: passed)
    }
    let time = try await database.read { session throws(DatabaseError) in try session.clockTime() }
    if let uptime { last.withLock { $0 = (time, uptime) } }
    return time
  }

  /// Looks at the database's clock the next time.
  package func forget() { last.withLock { $0 = nil } }
}

extension DatabaseSession {
  /// The time of PostgreSQL's clock.
  fileprivate func clockTime() throws(DatabaseError) -> Timestamp {
    let row = try row("SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)")
    guard let milliseconds = row?.integer(0) else { throw DatabaseError(.failed, "the database does not say the time") }
    return Timestamp(milliseconds: milliseconds)
  }
}
