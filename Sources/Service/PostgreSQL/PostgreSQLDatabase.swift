// PostgreSQL is the database for several processes, on libpq. `ConnectionPool` has threads with one connection each;
// `ConnectionThread` replaces a lost connection, with growing pauses. `NoticeListener` has a connection of its own: a
// notice that a transaction sends reaches the listeners of all processes.
//
// Statements are written once for both engines: `NumberedSQL` turns `:name` into `$1`, `Parameters` and `QueryResult`
// convert values. `PostgreSQLFailure` tells a failure that passes from one that needs an administrator.

#if TenantService
  import Database
  import Support

  /// A database of a PostgreSQL server, which several processes may share. Its encoding must be UTF8.
  ///
  /// Connects in the background, so the server may start later, and may be restarted: meanwhile calls fail as
  /// `unavailable`.
  package final class PostgreSQLDatabase: Database {
    private let pool: ConnectionPool
    private let listener: NoticeListener

    package var engine: DatabaseEngine { .postgreSQL }

    package init(_ options: PostgreSQLOptions) {
      pool = ConnectionPool(options)
      listener = NoticeListener(options)
      pool.start()
    }

    deinit { stop() }

    @discardableResult
    package func write<T: Sendable>(
      _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
      try await outcome(of: body) { pool, body in pool.add(body, .write) }
    }

    @discardableResult
    package func writeInGroup<T: Sendable>(
      _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
      try await outcome(of: body) { pool, body in pool.addToGroup(body) }
    }

    package func read<T: Sendable>(
      _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
      try await outcome(of: body) { pool, body in pool.add(body, .read) }
    }

    package func listen(_ body: @escaping @Sendable (DatabaseNotice) -> Void) { listener.add(body) }

    package func close() async {
      stop()
      await pool.stopped()
      await listener.stopped()
    }

    private func stop() {
      pool.stop()
      listener.stop()
    }

    private func outcome<T: Sendable>(
      of body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T,
      _ add: (ConnectionPool, any PendingBody) -> Void
    ) async throws(DatabaseError) -> T {
      let outcome = await withCheckedContinuation { continuation in add(pool, Call(body, continuation)) }
      return try outcome.get()
    }
  }

  /// A call of a task that waits.
  private final class Call<T: Sendable>: PendingBody {
    private let body: @Sendable (any DatabaseSession) throws(DatabaseError) -> T
    private let waiting: CheckedContinuation<Result<T, DatabaseError>, Never>
    private let result = Lock<T?>(nil)

    init(
      _ body: @escaping @Sendable (any DatabaseSession) throws(DatabaseError) -> T,
      _ waiting: CheckedContinuation<Result<T, DatabaseError>, Never>
    ) {
      self.body = body
      self.waiting = waiting
    }

    func attempt(_ session: any DatabaseSession) -> DatabaseError? {
      do throws(DatabaseError) {
        let value = try body(session)
        result.withLock { $0 = value }
        return nil
      } catch {
        return error
      }
    }

    func finish(_ error: DatabaseError?) {
      if error == nil, let value = result.withLock({ $0 }) {
        waiting.resume(returning: .success(value))
      } else {
        waiting.resume(returning: .failure(error ?? DatabaseError(.failed, "the transaction was not run")))
      }
    }
  }
#endif
