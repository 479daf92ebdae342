#if TenantService
  import Database
  import Glibc
  import Support
  import TestSupport
  import Testing

  @testable import PostgreSQL

  @Suite(
    .timeLimit(.minutes(5)), .ownThreads, .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
  struct PostgreSQLDatabaseTests {
    private func open(_ url: String, _ change: (inout PostgreSQLOptions) -> Void = { _ in }) throws
      -> PostgreSQLDatabase
    {
      var options = try PostgreSQLOptions(url: url)
      change(&options)
      return PostgreSQLDatabase(options)
    }

    /// The URL of a new database on the server that tests share.
    private func sharedDatabase() throws -> String {
      let server = try PostgreSQLServer.shared.get()
      return try server.url(of: server.makeDatabase())
    }

    private func one(_ database: PostgreSQLDatabase) async throws(DatabaseError) -> Int64? {
      try await database.read { session throws(DatabaseError) in try session.row("SELECT 1")?.integer(0) }
    }

    private func reason(_ database: PostgreSQLDatabase) async -> DatabaseError? {
      do throws(DatabaseError) {
        _ = try await one(database)
        return nil
      } catch { return error }
    }

    private func works(_ database: PostgreSQLDatabase) async -> Bool {
      for _ in 0..<1000 {
        if await reason(database) == nil { return true }
        try? await Task.sleep(for: .milliseconds(10))
      }
      return false
    }

    @Test("PostgreSQL calls fail at once while the server is stopped and work again once it is back")
    func stopped() async throws {
      let server = try PostgreSQLServer()
      let database = try open(server.url(of: server.makeDatabase()))
      let heard = Lock<[DatabaseNotice]>([])
      database.listen { notice in heard.withLock { $0.append(notice) } }
      for _ in 0..<2 {
        #expect(try await one(database) == 1)
        #expect(await eventually { heard.withLock { $0 } == [.missed] })
        server.stop()
        let start = ContinuousClock.now
        for _ in 0..<20 { #expect(await reason(database)?.reason == .unavailable) }
        #expect(ContinuousClock.now - start < .soon)
        heard.withLock { $0 = [] }
        try server.start()
        #expect(await works(database))
        #expect(await eventually { heard.withLock { $0 } == [.missed] }, "listeners look at everything again")
      }
    }

    @Test("Writes waiting for a shared commit fail if PostgreSQL stops, and later writes are committed")
    func lostGroup() async throws {
      let server = try PostgreSQLServer()
      let name = try server.makeDatabase()
      let database = try open(server.url(of: name)) { $0.connections = 1 }
      #expect(await works(database))
      let busy = Task {
        try? await database.write { session throws(DatabaseError) in _ = try session.rows("SELECT pg_sleep(600)") }
      }
      let sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      #expect(await eventually { (try? server.query(sleeping, in: "postgres").output) == "1\n" })
      let begun = Lock(false)
      let waiting = Task { () -> DatabaseError? in
        begun.withLock { $0 = true }
        do throws(DatabaseError) {
          try await database.writeInGroup { session throws(DatabaseError) in _ = try session.rows("SELECT 1") }
          return nil
        } catch { return error }
      }
      #expect(await eventually { begun.withLock { $0 } })
      server.stop()
      #expect(await waiting.value?.reason == .unavailable)
      _ = await busy.value
      try server.start()
      #expect(await works(database))
      let committed = Lock(false)
      let next = Task {
        try await database.writeInGroup { session throws(DatabaseError) in _ = try session.rows("SELECT 1") }
        committed.withLock { $0 = true }
      }
      #expect(await eventually(within: .soon) { committed.withLock { $0 } }, "the body still waits for its group")
      await database.close()
      try await next.value
    }

    @Test("A write in a shared commit that conflicts with another change twice is run again")
    func delayed() async throws {
      let server = try PostgreSQLServer.shared.get()
      let name = try server.makeDatabase()
      let database = try open(server.url(of: name)) { $0.connections = 1 }
      try await database.write { session throws(DatabaseError) in
        try session.run("CREATE TABLE item (name TEXT PRIMARY KEY, size BIGINT NOT NULL)")
        try session.run("INSERT INTO item (name, size) VALUES ('a', 0)")
      }
      let attempts = Lock(0)
      let failures = await withTaskGroup(of: DatabaseError?.self) { group in
        // The others wait for this body, and then share a commit.
        group.addTask {
          _ = try? await database.write { session throws(DatabaseError) in _ = try session.rows("SELECT pg_sleep(0.5)")
          }
          return nil
        }
        for number in 0..<6 {
          group.addTask {
            try? await Task.sleep(for: .milliseconds(100))
            do throws(DatabaseError) {
              try await database.writeInGroup { session throws(DatabaseError) in
                _ = try session.rows("SELECT size FROM item")
                guard number == 0 else { return }
                let isEarly = attempts.withLock { attempts in
                  attempts += 1
                  return attempts < 3
                }
                if isEarly { _ = try? server.query("UPDATE item SET size = size + 10", in: name) }
                try session.run("UPDATE item SET size = size + 1")
              }
              return nil
            } catch { return error }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(failures.compactMap { $0?.text } == [])
      let size = try await database.read { session throws(DatabaseError) in
        try session.row("SELECT size FROM item")?.integer(0)
      }
      #expect(size == 21)
      #expect(attempts.withLock { $0 } == 3)
    }

    @Test("PostgreSQL connections that an operator terminates are replaced before a call needs them")
    func terminated() async throws {
      let server = try PostgreSQLServer.shared.get()
      let name = try server.makeDatabase()
      let database = try open(server.url(of: name))
      let connections = "FROM pg_stat_activity WHERE datname = '\(name)'"
      func answers(_ sql: String) async -> Bool {
        await eventually { (try? server.query("SELECT \(sql)", in: "postgres").output) == "t\n" }
      }
      for _ in 0..<5 {
        // All but one are made again in the background.
        #expect(await answers("count(pid) > 3 \(connections)"))
        #expect(try await one(database) == 1)
        let old = try server.query("SELECT coalesce(string_agg(pid::text, ','), '0') \(connections)", in: "postgres")
          .output
        _ = try server.query("SELECT pg_terminate_backend(pid) \(connections)", in: "postgres")
        #expect(await answers("count(pid) = 0 \(connections) AND pid IN (\(old))"))
        #expect(await works(database))
      }
    }

    @Test(
      "A PostgreSQL connection is not used again after the server has said that it ends it",
      arguments: ["57P01", "57P02", "57P05", "25P03", "08006", "22012"])
    func announcedEnd(code: String) throws {
      let connection = try PostgreSQLConnection(PostgreSQLOptions(url: sharedDatabase()))
      let error = #expect(throws: PostgreSQLFailure.self) {
        try connection.run("DO $$ BEGIN RAISE EXCEPTION 'no more' USING ERRCODE = '\(code)'; END $$")
      }
      #expect(error?.code == code)
      // A division by zero ends no connection.
      #expect(connection.loss?.code == (code == "22012" ? nil : code))
    }

    @Test("A PostgreSQL listener connects again if its server vanished without closing the connection")
    func vanished() async throws {
      let server = try PostgreSQLServer()
      let name = try server.makeDatabase()
      var options = try PostgreSQLOptions(url: server.url(of: name))
      (options.statementPatience, options.answerPatience) = (.milliseconds(250), .milliseconds(250))
      let listener = NoticeListener(options, interval: .milliseconds(100))
      listener.add { _ in }
      func connections(without process: pid_t = 0) -> [pid_t] {
        let sql = "SELECT pid FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> \(process)"
        let lines = try? server.query(sql, in: "postgres").output.split(separator: "\n")
        return (lines ?? []).compactMap { pid_t($0) }
      }
      #expect(await eventually { !connections().isEmpty })
      let process = try #require(connections().first)
      kill(process, SIGSTOP)
      #expect(await eventually(within: .soon) { !connections(without: process).isEmpty })
      kill(process, SIGCONT)
      listener.stop()
      await listener.stopped()
    }

    @Test("A PostgreSQL server that starts after the program is used once it is there")
    func late() async throws {
      let server = try PostgreSQLServer()
      let url = try server.url(of: server.makeDatabase())
      server.stop()
      let database = try open(url)
      #expect(await reason(database)?.reason == .unavailable)
      try server.start()
      #expect(await works(database))
    }

    @Test("A PostgreSQL statement that takes too long is canceled, and its connection stays open")
    func slow() async throws {
      let database = try open(sharedDatabase()) {
        ($0.statementPatience, $0.connections) = (.milliseconds(100), 1)
      }
      let error = await #expect(throws: DatabaseError.self) {
        try await database.write { session throws(DatabaseError) in _ = try session.rows("SELECT pg_sleep(30)") }
      }
      #expect(error?.reason == .unavailable)
      #expect(error?.text == "PostgreSQL: canceling statement due to statement timeout (57014)")
      #expect(try await one(database) == 1)
    }

    @Test("A PostgreSQL server that does not answer is given up after a while and used again later")
    func silent() async throws {
      let server = try PostgreSQLServer()
      let url = try server.url(of: server.makeDatabase())
      let database = try open(url) {
        ($0.statementPatience, $0.answerPatience, $0.connections) = (.seconds(1), .seconds(1), 1)
      }
      let process = try await database.read { session throws(DatabaseError) in
        try session.row("SELECT pg_backend_pid()")?.integer(0)
      }
      kill(pid_t(process ?? 0), SIGSTOP)
      let error = await reason(database)
      #expect(error?.text == "PostgreSQL: the server has not answered for 2 seconds")
      kill(pid_t(process ?? 0), SIGCONT)
      #expect(await works(database))
    }

    @Test("PostgreSQL calls are refused beyond the queue limit and give up after waiting too long")
    func busy() async throws {
      let database = try open(sharedDatabase()) {
        ($0.connections, $0.longestQueue, $0.queuePatience) = (1, 2, .milliseconds(50))
      }
      // To connect may take longer than a call may wait here.
      #expect(await works(database))
      let errors = await withTaskGroup(of: DatabaseError?.self) { group in
        for _ in 0..<8 {
          group.addTask {
            do throws(DatabaseError) {
              try await database.write { session throws(DatabaseError) in _ = try session.rows("SELECT pg_sleep(0.3)") }
              return nil
            } catch { return error }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(errors.allSatisfy { $0 == nil || $0?.reason == .unavailable })
      #expect(errors.contains { $0?.text == "2 requests wait for the database already" })
      #expect(errors.contains { $0?.text == "all connections to the database have been busy for too long" })
      #expect(errors.contains(nil))
    }

    @Test("PostgreSQL transactions that deadlock are run again until both succeed")
    func deadlock() async throws {
      let database = try open(sharedDatabase())
      try await database.write { session throws(DatabaseError) in
        try session.run("CREATE TABLE item (name TEXT PRIMARY KEY, size BIGINT NOT NULL)")
        try session.run("INSERT INTO item (name, size) VALUES ('a', 0), ('b', 0)")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for names in [["a", "b"], ["b", "a"]] {
          group.addTask {
            for _ in 0..<10 {
              try await database.write { session throws(DatabaseError) in
                for name in names {
                  try session.run("UPDATE item SET size = size + 1 WHERE name = :name", ["name": .text(name)])
                  _ = try session.rows("SELECT pg_sleep(0.005)")
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let sizes = try await database.read { session throws(DatabaseError) in
        try session.rows("SELECT size FROM item").map { $0.integer(0) }
      }
      #expect(sizes == [20, 20])
    }

    @Test("Prepared statements survive schema changes and may outnumber those a connection keeps")
    func prepared() async throws {
      let database = try open(sharedDatabase()) { $0.connections = 1 }
      try await database.write { session throws(DatabaseError) in try session.run("CREATE TABLE item (name TEXT)") }
      let columns = { () async throws in
        try await database.read { session throws(DatabaseError) in try session.rows("SELECT * FROM item LIMIT 1").count
        }
      }
      #expect(try await columns() == 0)
      try await database.write { session throws(DatabaseError) in
        try session.run("ALTER TABLE item ADD COLUMN size INTEGER")
      }
      #expect(try await columns() == 0)
      let sum = try await database.read { session throws(DatabaseError) in
        var sum: Int64 = 0
        for number in 0..<600 { sum += try session.row("SELECT \(number) + :one", ["one": 1])?.integer(0) ?? 0 }
        return sum
      }
      #expect(sum == 600 * 601 / 2)
    }

    @Test("A PostgreSQL database that is not in UTF-8 is refused")
    func encoding() async throws {
      let server = try PostgreSQLServer.shared.get()
      try server.query("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", in: "postgres")
      let error = try await reason(open(server.url(of: "latin")))
      #expect(error?.text == "PostgreSQL: the database is in LATIN1. Create it with ENCODING 'UTF8'")
    }

    @Test("No error shows the password in a PostgreSQL URL")
    func password() async throws {
      for url in [
        "postgresql://user:s3cret%zz@localhost/x", "postgresql://user:s3cret@[::1/x",
        "postgresql://localhost/x?nothing=s3cret&password=s3cret", "mysql://user:s3cret@localhost/x",
      ] {
        let error = #expect(throws: DatabaseError.self) { try PostgreSQLOptions(url: url) }
        #expect(error?.text.contains("s3cret") == false, "\(error?.text ?? "")")
      }
      let unknown = #expect(throws: DatabaseError.self) {
        try PostgreSQLOptions(url: "postgresql://localhost/x?nothing=1")
      }
      #expect(unknown?.text.contains("nothing") == true)
      let error = try await reason(open("postgresql://user:s3cret@127.0.0.1:1/x"))
      #expect(error?.reason == .unavailable)
      #expect(error?.text.contains("s3cret") == false)
      #expect(error?.text.contains("127.0.0.1") == true, "\(error?.text ?? "")")
    }
  }
#endif
