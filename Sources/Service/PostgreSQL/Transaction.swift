#if TenantService
  import Database
  import Glibc

  /// A body that waits for its transaction, on behalf of a task that waits for the outcome.
  protocol PendingBody: Sendable {
    /// Runs the body and keeps its result, or returns why it failed. May be called again.
    func attempt(_ session: any DatabaseSession) -> DatabaseError?
    /// Ends the wait of the task: with the result of the last attempt, or with an error. Called once.
    func finish(_ error: DatabaseError?)
  }

  /// The statements of one transaction. After one has failed, PostgreSQL refuses the others, so the first failure is what
  /// they all throw.
  private final class Session: DatabaseSession {
    private static let longestNotice = 1000

    private let connection: PostgreSQLConnection
    private(set) var failure: PostgreSQLFailure?

    init(_ connection: PostgreSQLConnection) { self.connection = connection }

    func rows(
      _ sql: String, _ values: KeyValuePairs<String, DatabaseValue>
    ) throws(DatabaseError) -> [DatabaseRow] {
      try run(sql, values) { result throws(PostgreSQLFailure) in try result.rows() }
    }

    func run(_ sql: String, _ values: KeyValuePairs<String, DatabaseValue>) throws(DatabaseError) -> Int {
      try run(sql, values) { result throws(PostgreSQLFailure) in result.changes }
    }

    func notify(_ text: String) throws(DatabaseError) {
      guard text.utf8.count <= Self.longestNotice else {
        throw DatabaseError(
          .failed, "a notice has \(text.utf8.count) bytes, but only \(Self.longestNotice) are allowed")
      }
      _ = try rows("SELECT pg_notify('\(NoticeListener.channel)', :text)", ["text": .text(text)])
    }

    private func run<T>(
      _ sql: String, _ values: KeyValuePairs<String, DatabaseValue>,
      _ read: (QueryResult) throws(PostgreSQLFailure) -> T
    ) throws(DatabaseError) -> T {
      if let failure { throw failure.error }
      do throws(PostgreSQLFailure) {
        return try read(try connection.run(sql, values))
      } catch {
        failure = error
        throw error.error
      }
    }
  }

  /// How a transaction begins. Its statements all see the state at its beginning, and it is run again if others have
  /// changed what it changes. Others may have changed what it only reads: bodies that must see each other's changes
  /// change one row that they share.
  enum TransactionKind: String, Sendable {
    case write = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"
    case read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  }

  extension PostgreSQLConnection {
    /// Runs one body in a transaction of its own; again if other transactions were in the way.
    func run(_ body: any PendingBody, _ kind: TransactionKind) {
      var retries = Retries()
      while true {
        var error: DatabaseError?
        do throws(PostgreSQLFailure) {
          try begin(kind)
          let session = Session(self)
          error = body.attempt(session)
          if let failure = session.failure { throw failure }
          try run(error == nil ? "COMMIT" : "ROLLBACK")
          return body.finish(error)
        } catch let failure {
          rollBack(after: failure)
          guard loss == nil, retries.pause(after: failure) else { return body.finish(error ?? failure.error) }
        }
      }
    }

    /// Runs many bodies that share one commit. First without savepoints, which cost more than most bodies; if a body
    /// fails, again with a savepoint before each; if the commit fails, each in a transaction of its own.
    func run(group bodies: [any PendingBody]) {
      guard bodies.count > 1 else { return bodies.forEach { run($0, .write) } }
      do throws(PostgreSQLFailure) {
        if try commitAll(bodies) { return bodies.forEach { $0.finish(nil) } }
      } catch {
        rollBack(after: error)
      }
      do throws(PostgreSQLFailure) {
        try commitMost(bodies)
      } catch {
        rollBack(after: error)
        // Without a connection, each of them fails at once.
        bodies.forEach { run($0, .write) }
      }
    }

    private func begin(_ kind: TransactionKind) throws(PostgreSQLFailure) {
      do throws(PostgreSQLFailure) {
        try run(kind.rawValue)
      } catch {
        // Such as a server that may only be read, since another one has taken over.
        end(after: .lost(error.text))
        throw .lost(error.text)
      }
    }

    /// Returns false, with nothing changed, if a body failed by itself.
    private func commitAll(_ bodies: [any PendingBody]) throws(PostgreSQLFailure) -> Bool {
      try begin(.write)
      for body in bodies {
        let session = Session(self)
        let error = body.attempt(session)
        if let failure = session.failure { throw failure }
        if error != nil {
          try run("ROLLBACK")
          return false
        }
      }
      try run("COMMIT")
      return true
    }

    /// Leaves out the bodies that fail. Throws if none of them is finished.
    private func commitMost(_ bodies: [any PendingBody]) throws(PostgreSQLFailure) {
      var kept: [any PendingBody] = []
      var refused: [(body: any PendingBody, error: DatabaseError)] = []
      var delayed: [any PendingBody] = []
      try begin(.write)
      for body in bodies {
        try run("SAVEPOINT body")
        let session = Session(self)
        let error = body.attempt(session)
        if let loss { throw loss }
        let isRefused = error != nil || session.failure != nil
        try run("\(isRefused ? "ROLLBACK TO SAVEPOINT body; " : "")RELEASE SAVEPOINT body")
        if session.failure?.mayPassNextTime == true {
          delayed.append(body)
        } else if let error = error ?? session.failure?.error {
          refused.append((body, error))
        } else {
          kept.append(body)
        }
      }
      try run("COMMIT")
      kept.forEach { $0.finish(nil) }
      refused.forEach { $0.body.finish($0.error) }
      delayed.forEach { run($0, .write) }
    }

    private func rollBack(after failure: PostgreSQLFailure) {
      guard loss == nil else { return }
      do throws(PostgreSQLFailure) {
        try run("ROLLBACK")
        if failure.isStale { try forgetStatements() }
      } catch {
        // Whatever is wrong with the connection, a new one begins without a transaction.
        end(after: error)
      }
    }
  }

  /// How often a transaction is run again, with longer and longer pauses.
  private struct Retries {
    private static let limit = 8

    private var count = 0

    /// Returns false, without a pause, if there must be no other try.
    mutating func pause(after failure: PostgreSQLFailure) -> Bool {
      // What is there the second time was there from the start.
      guard failure.mayPassNextTime, count < (failure.isDuplicate || failure.isStale ? 1 : Self.limit) else {
        return false
      }
      count += 1
      // Not for as long as others do that were in the way too.
      usleep(UInt32.random(in: 0...(1000 << UInt32(count))))
      return true
    }
  }
#endif
