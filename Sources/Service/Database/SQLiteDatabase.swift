import SQLite
import Support

/// A database in one file, which only this process writes. All changes go through one thread, and those that wait at the
/// same time share one commit, because a commit waits for the disk. Queries run on threads of their own.
package final class SQLiteDatabase: Database {
  /// How many requests may wait for the writer, and how many for the readers.
  private static let queueLimit = 10_000

  private let writes = WorkQueue<SQLiteJob>(limit: queueLimit)
  private let reads = WorkQueue<SQLiteJob>(limit: queueLimit)
  private let threads = WorkThreads()
  private let listeners = Lock<[@Sendable (DatabaseNotice) -> Void]>([])

  package var engine: DatabaseEngine { .sqlite }

  /// Opens the file, or creates it; the folder must exist.
  package init(path: String, readerCount: Int = 2) throws(DatabaseError) {
    let connection = SQLiteConnection(path: path)
    try connection.open()
    try threads.start { [writes, listeners] in
      SQLiteWriter(queue: writes, connection: connection) { notice in
        for listener in listeners.withLock({ $0 }) { listener(notice) }
      }.run()
    }
    for _ in 0..<readerCount {
      try threads.start { [reads] in
        let connection = SQLiteConnection(path: path)
        while let job = reads.next() { connection.read(job) }
      }
    }
  }

  deinit {
    writes.close()
    reads.close()
  }

  @discardableResult
  package func write<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T { try await run(body, in: writes) }

  @discardableResult
  package func writeInGroup<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T { try await run(body, in: writes) }

  package func read<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
  ) async throws(DatabaseError) -> T { try await run(body, in: reads) }

  package func listen(_ body: @escaping @Sendable (DatabaseNotice) -> Void) { listeners.withLock { $0.append(body) } }

  package func close() async {
    writes.close()
    reads.close()
    await threads.ended()
  }

  private func run<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T, in queue: WorkQueue<SQLiteJob>
  ) async throws(DatabaseError) -> T {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<T, DatabaseError>, Never>) in
      let job = SQLiteJob(body) { continuation.resume(returning: $0) }
      if let refusal = queue.add(job) { job.finish(refusal) }
    }
    return try result.get()
  }
}

/// The body of a transaction, and who waits for it.
private struct SQLiteJob: Sendable {
  /// Runs the body, once more if need be. Throws what it throws.
  let run: @Sendable (SQLiteSession) throws(DatabaseError) -> Void
  /// Ends the wait with the error, or with what the last run has returned. Called once.
  let finish: @Sendable (DatabaseError?) -> Void

  init<T: Sendable>(
    _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T,
    then end: @escaping @Sendable (Result<T, DatabaseError>) -> Void
  ) {
    let last = Lock(Result<T, DatabaseError>.failure(DatabaseError(.failed, "the transaction was not run")))
    run = { session throws(DatabaseError) in
      let value = try body(session)
      last.withLock { $0 = .success(value) }
    }
    finish = { error in end(error.map { .failure($0) } ?? last.withLock { $0 }) }
  }
}

/// The thread of all changes.
private struct SQLiteWriter {
  /// So that nobody waits for long behind the others of a group.
  private static let longestGroup = Duration.milliseconds(100)
  private static let largestGroup = 500

  let queue: WorkQueue<SQLiteJob>
  let connection: SQLiteConnection
  let tell: (DatabaseNotice) -> Void

  func run() {
    while let job = queue.next() { commit(firstOfGroup: job) }
  }

  /// Runs the job, and those that wait, in one transaction.
  private func commit(firstOfGroup first: SQLiteJob) {
    var (all, done, notices): ([SQLiteJob], [SQLiteJob], [String]) = ([first], [], [])
    let end = ContinuousClock.now + Self.longestGroup
    do throws(DatabaseError) {
      try connection.transaction("BEGIN IMMEDIATE") { session throws(DatabaseError) in
        var next: SQLiteJob? = first
        while let job = next {
          if let sent = try session.runInSavepoint(job) {
            done.append(job)
            notices += sent
          } else {
            all.removeLast()
          }
          next = all.count < Self.largestGroup && ContinuousClock.now < end ? queue.nextWaiting() : nil
          if let next { all.append(next) }
        }
      }
    } catch {
      return all.count == 1 ? refuse(all[0], error) : all.forEach(commitAlone)
    }
    for job in done { job.finish(nil) }
    for notice in notices { tell(.sent(notice)) }
  }

  /// Those that wait would only wait again for the lock that this job did not get, or the disk that is full.
  private func refuse(_ job: SQLiteJob, _ error: DatabaseError) {
    var refused = [job]
    while error.reason == .unavailable, let waiting = queue.nextWaiting() { refused.append(waiting) }
    for job in refused { job.finish(error) }
  }

  /// After a group has failed: what was wrong may be one job.
  private func commitAlone(_ job: SQLiteJob) {
    var notices: [String] = []
    do throws(DatabaseError) {
      try connection.transaction("BEGIN IMMEDIATE") { session throws(DatabaseError) in
        try job.run(session)
        notices = session.notices
      }
    } catch { return job.finish(error) }
    job.finish(nil)
    for notice in notices { tell(.sent(notice)) }
  }
}

/// A connection of one thread, opened when it is needed and again after a failure that it does not survive.
private final class SQLiteConnection: @unchecked Sendable {  // opened by one thread, then used by one other
  private let path: String
  private var connection: Connection?

  init(path: String) { self.path = path }

  @discardableResult
  func open() throws(DatabaseError) -> Connection {
    if let connection { return connection }
    do throws(SQLiteError) {
      let opened = try Connection(path: path)
      connection = opened
      return opened
    } catch { throw DatabaseError(error) }
  }

  func read(_ job: SQLiteJob) {
    do throws(DatabaseError) {
      try transaction("BEGIN DEFERRED", mayWrite: false) { session throws(DatabaseError) in try job.run(session) }
      job.finish(nil)
    } catch { job.finish(error) }
  }

  func transaction(
    _ begin: String, mayWrite: Bool = true, _ body: (SQLiteSession) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    let connection = try open()
    let session = SQLiteSession(connection, mayWrite: mayWrite)
    do throws(DatabaseError) {
      try session.control(begin)
      try body(session)
      try session.control("COMMIT")
    } catch {
      rollBack(connection)
      throw error
    }
  }

  /// SQLite itself has rolled back after some errors.
  private func rollBack(_ connection: Connection) {
    guard connection.isInTransaction else { return }
    _ = try? connection.run("ROLLBACK")
    if connection.isInTransaction { self.connection = nil }
  }
}

/// The statements of one transaction, or of one savepoint after the other.
private final class SQLiteSession: DatabaseSession {
  private static let longestNotice = 1000

  private let connection: Connection
  private let mayWrite: Bool
  private(set) var notices: [String] = []

  init(_ connection: Connection, mayWrite: Bool) {
    (self.connection, self.mayWrite) = (connection, mayWrite)
  }

  func rows(
    _ sql: String, _ values: KeyValuePairs<String, DatabaseValue>
  ) throws(DatabaseError) -> [DatabaseRow] {
    var rows: [DatabaseRow] = []
    try run(sql, values) { row throws(SQLiteError) in
      var values: [DatabaseValue] = []
      values.reserveCapacity(row.columnCount)
      for column in 0..<row.columnCount { values.append(try DatabaseValue(row, column)) }
      rows.append(DatabaseRow(values))
    }
    return rows
  }

  func run(_ sql: String, _ values: KeyValuePairs<String, DatabaseValue>) throws(DatabaseError) -> Int {
    try run(sql, values) { _ in }
  }

  func notify(_ text: String) throws(DatabaseError) {
    guard text.utf8.count <= Self.longestNotice else {
      throw DatabaseError(.failed, "a notice has \(text.utf8.count) bytes, but only \(Self.longestNotice) are allowed")
    }
    notices.append(text)
  }

  /// Returns the notices of the job; `nil` if it threw, was undone, and knows about it. Throws if the transaction is
  /// lost.
  func runInSavepoint(_ job: SQLiteJob) throws(DatabaseError) -> [String]? {
    notices = []
    try control("SAVEPOINT job")
    do throws(DatabaseError) {
      try job.run(self)
    } catch {
      guard connection.isInTransaction else { throw error }
      try control("ROLLBACK TO job")
      try control("RELEASE job")
      job.finish(error)
      return nil
    }
    try control("RELEASE job")
    return notices
  }

  func control(_ sql: String) throws(DatabaseError) { try run(sql, [:], isControl: true) { _ in } }

  @discardableResult
  private func run(
    _ sql: String, _ values: KeyValuePairs<String, DatabaseValue>, isControl: Bool = false,
    row: (Row) throws(SQLiteError) -> Void
  ) throws(DatabaseError) -> Int {
    do throws(SQLiteError) {
      return try connection.run(
        sql, named: values.map { ($0.key, $0.value.forSQLite) }, mayWrite: mayWrite || isControl, row: row)
    } catch { throw DatabaseError(error) }
  }
}

extension DatabaseValue {
  fileprivate var forSQLite: Value {
    switch self {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .text(let text): .text(text)
    case .bytes(let bytes): .blob(bytes)
    }
  }

  fileprivate init(_ row: Row, _ column: Int) throws(SQLiteError) {
    switch try row.value(column, as: Value.self) {
    case .null: self = .null
    case .integer(let integer): self = .integer(integer)
    case .text(let text): self = .text(text)
    case .blob(let bytes): self = .bytes(bytes)
    case .real: self = .integer(try row.value(column))  // throws, and names the column
    }
  }
}

extension DatabaseError {
  fileprivate init(_ error: SQLiteError) {
    self.init(Reason(error.reason), error.description)
  }
}

extension DatabaseError.Reason {
  fileprivate init(_ reason: SQLiteError.Reason) {
    switch reason {
    case .busy, .full, .readOnly, .ioError, .cannotOpen: self = .unavailable
    case .constraint: self = .constraint
    case .newerSchema: self = .newerSchema
    case .corrupt, .notADatabase, .typeMismatch, .misuse, .other: self = .failed
    }
  }
}
