#if TenantService
  import CPostgreSQL
  import Database
  import Glibc

  /// One connection to the server, the owner of its handle. Each wait on it has a limit. Used by one thread.
  final class PostgreSQLConnection {
    private let handle: OpaquePointer
    private let patience: Duration
    private var statements = PreparedStatements()
    /// Why the connection is of no use any more; `nil` while it works.
    private(set) var loss: PostgreSQLFailure?

    /// Connects, which may take as long as the options say for each address of the host.
    init(_ options: PostgreSQLOptions) throws(PostgreSQLFailure) {
      let keywords = options.keywords
      let made = withCStrings(keywords.map(\.name)) { names in
        withCStrings(keywords.map(\.value)) { PQconnectdbParams(names, $0, 1) }
      }
      guard let made else { throw .lost("out of memory") }
      handle = made
      patience = options.statementPatience + options.answerPatience
      PQsetNoticeProcessor(handle, { _, _ in }, nil)
      guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else { throw lastFailure }
      let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? "no encoding"
      guard encoding == "UTF8" else {
        throw .lost("the database is in \(encoding). Create it with ENCODING 'UTF8'")
      }
      try run(options.settings)
    }

    deinit { PQfinish(handle) }

    /// Runs statements without parameters, separated by semicolons.
    @discardableResult
    func run(_ sql: String) throws(PostgreSQLFailure) -> QueryResult {
      try result { PQsendQuery(handle, sql) }
    }

    /// Runs one statement, which is prepared when it is first used with values of these types.
    func run(
      _ sql: String, _ values: KeyValuePairs<String, DatabaseValue>
    ) throws(PostgreSQLFailure) -> QueryResult {
      let statement = statements.numbered(sql)
      let parameters = try Parameters(values, for: statement)
      let name = try prepared(statement, parameters.types)
      return try result {
        parameters.withArrays { PQsendQueryPrepared(handle, name, Int32($0.count), $0, $1, $2, 1) }
      }
    }

    /// Treats the connection as lost.
    func end(after failure: PostgreSQLFailure) { loss = loss ?? failure }

    /// Drops what is prepared. It is prepared again when it is used.
    func forgetStatements() throws(PostgreSQLFailure) {
      statements = PreparedStatements()
      try run("DEALLOCATE ALL")
    }

    private func prepared(_ statement: NumberedSQL, _ types: [Oid]) throws(PostgreSQLFailure) -> String {
      if let name = statements.name(of: statement, types) { return name }
      if statements.isFull { try forgetStatements() }
      let name = statements.nextName
      _ = try result { PQsendPrepare(handle, name, statement.text, Int32(types.count), types) }
      statements.add(name, for: statement, types)
      return name
    }
  }

  // MARK: - Waiting

  extension PostgreSQLConnection {
    /// Readable when the server has sent something unasked, such as a notice or its farewell.
    var descriptor: Int32 { PQsocket(handle) }

    /// Takes what the server has sent unasked. Returns the payloads of notices.
    func takeNotices() -> [String] {
      if loss == nil, PQconsumeInput(handle) == 0 { loss = lastFailure }
      var payloads: [String] = []
      while let notice = PQnotifies(handle) {
        payloads.append(notice.pointee.extra.map { String(cString: $0) } ?? "")
        PQfreemem(notice)
      }
      return payloads
    }

    private var lastFailure: PostgreSQLFailure { .lost(PQerrorMessage(handle).map { String(cString: $0) } ?? "") }

    /// Sends statements, and waits for the result of the last one.
    private func result(_ send: () -> Int32) throws(PostgreSQLFailure) -> QueryResult {
      if let loss { throw loss }
      let end = ContinuousClock.now + patience
      guard send() == 1 else { throw lose(lastFailure) }
      try flush(until: end)
      var last: QueryResult?
      var failure: PostgreSQLFailure?
      while let result = try nextResult(until: end) {
        failure = failure ?? result.failure
        last = result
      }
      if let failure { throw failure.endsConnection ? lose(failure) : failure }
      guard let last else { throw lose(lastFailure) }
      return last
    }

    private func lose(_ failure: PostgreSQLFailure) -> PostgreSQLFailure {
      end(after: failure)
      return failure
    }

    /// Reads meanwhile, because a server that cannot write does not read either.
    private func flush(until end: ContinuousClock.Instant) throws(PostgreSQLFailure) {
      while true {
        switch PQflush(handle) {
        case 0: return
        case 1: try wait(for: POLLIN | POLLOUT, until: end)
        default: throw lose(lastFailure)
        }
      }
    }

    /// `nil` when the server has answered everything.
    private func nextResult(until end: ContinuousClock.Instant) throws(PostgreSQLFailure) -> QueryResult? {
      while PQisBusy(handle) == 1 { try wait(for: POLLIN, until: end) }
      return PQgetResult(handle).map { QueryResult($0) }
    }

    private func wait(for events: Int32, until end: ContinuousClock.Instant) throws(PostgreSQLFailure) {
      var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let rest = ContinuousClock.now.duration(to: end).milliseconds
      let ready = poll(&polled, 1, Int32(clamping: max(0, rest)))
      if ready == 0 { throw lose(.lost("the server has not answered for \(patience.milliseconds / 1000) seconds")) }
      if polled.revents & Int16(POLLOUT) != polled.revents, PQconsumeInput(handle) == 0 { throw lose(lastFailure) }
    }
  }

  /// The names of the statements that a connection has prepared.
  private struct PreparedStatements {
    /// More than the statements of this program.
    private static let limit = 256

    private var known: [String: NumberedSQL] = [:]
    private var names: [Key: String] = [:]

    private struct Key: Hashable {
      let statement: NumberedSQL
      let types: [Oid]
    }

    var isFull: Bool { names.count >= Self.limit || known.count >= Self.limit }
    var nextName: String { "s\(names.count)" }

    mutating func numbered(_ sql: String) -> NumberedSQL {
      if let statement = known[sql] { return statement }
      let statement = NumberedSQL(sql)
      known[sql] = statement
      return statement
    }

    func name(of statement: NumberedSQL, _ types: [Oid]) -> String? { names[Key(statement: statement, types: types)] }

    mutating func add(_ name: String, for statement: NumberedSQL, _ types: [Oid]) {
      names[Key(statement: statement, types: types)] = name
    }
  }

  /// Calls `body` with C strings, and a null pointer after the last one.
  private func withCStrings<Result>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies.map { UnsafePointer($0) } + [nil])
  }
#endif
