#if TenantService
  import CPostgreSQL
  import Database
  import Glibc
  import Support

  /// Where a PostgreSQL database is, and how it is used.
  package struct PostgreSQLOptions: Sendable {
    /// A URL such as `postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full`, with any parameter of libpq. May hold a
    /// password, so it appears in no text.
    let url: String
    /// How the server must prove who it is, unless the URL says something else.
    private let sslMode: String
    /// How many connections run statements. One more waits for notices.
    package var connections = 4
    /// How long connecting to one address may take, unless the URL says something else.
    package var connectPatience = Duration.seconds(5)
    /// How long a statement may take.
    package var statementPatience = Duration.seconds(15)
    /// How much longer a server may stay silent, which would have ended a late statement itself.
    package var answerPatience = Duration.seconds(5)
    /// How long a call may wait for a free connection.
    package var queuePatience = Duration.seconds(10)
    /// How many calls may wait for a free connection. Further calls fail as `unavailable`.
    package var longestQueue = 10_000

    /// Throws `failed` for text that is no URL of PostgreSQL, or that has a parameter unknown to libpq, and if there is no
    /// libpq. `environment` has the variables that libpq takes for what the URL leaves out.
    package init(url: String, environment: (String) -> String? = variable) throws(DatabaseError) {
      guard Self.schemes.contains(where: { url.hasPrefix($0) }) else {
        throw DatabaseError(.failed, "the store is no URL of PostgreSQL. Write \(Self.form).")
      }
      if let reason = cpostgresql_load() {
        throw DatabaseError(
          .failed,
          "PostgreSQL needs the library libpq.so.5: \(String(cString: reason)). Install it (Debian: apt install libpq5)."
        )
      }
      switch Self.parse(url) {
      case .success(let parts):
        sslMode = environment("PGSSLMODE") ?? (parts.isLocal(environment) ? "prefer" : "verify-full")
      case .failure(let fault):
        // libpq quotes the part that it cannot read, which may be the password.
        let reason = url.contains("@") || url.contains("password") ? "" : ": \(fault.text)"
        throw DatabaseError(
          .failed,
          "the URL of the store cannot be read\(reason). Write \(Self.form), with %XX for each character of the password "
            + "that is no letter or digit.")
      }
      self.url = url
    }

    /// The value of a variable of this process; `nil` if it is not set.
    package static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// What a URL of PostgreSQL begins with.
    package static let schemes = ["postgresql://", "postgres://"]
    private static let form = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full"

    private struct Fault: Error {
      let text: String
    }

    /// The parameters that the URL sets.
    private static func parse(_ url: String) -> Result<[String: String], Fault> {
      guard !url.utf8.contains(0) else { return .failure(Fault(text: "it contains NUL")) }
      var message: UnsafeMutablePointer<CChar>?
      let options = PQconninfoParse(url, &message)
      defer {
        PQconninfoFree(options)
        PQfreemem(message)
      }
      guard var next = options else {
        let lines = message.map { String(cString: $0).split(whereSeparator: \.isNewline) } ?? []
        return .failure(Fault(text: lines.joined(separator: " ")))
      }
      var parts: [String: String] = [:]
      while let keyword = next.pointee.keyword {
        if let value = next.pointee.val { parts[String(cString: keyword)] = String(cString: value) }
        next += 1
      }
      return .success(parts)
    }

    /// What libpq connects with. The URL comes after what it may change, and before what it must not.
    var keywords: [(name: String, value: String)] {
      [
        // libpq itself would send everything unencrypted if the server wants that.
        ("sslmode", sslMode),
        ("connect_timeout", String(max(2, connectPatience.components.seconds))),
        // A peer that is gone without a word is noticed after 25 seconds.
        ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "15000"), ("gssencmode", "disable"),
        ("fallback_application_name", "mambridge-tenant"), ("dbname", url), ("client_encoding", "UTF8"),
      ]
    }

    /// Run once on each new connection.
    var settings: String {
      let limit = statementPatience.milliseconds
      return """
        SET statement_timeout = \(limit); SET lock_timeout = \(max(1, limit / 2));
        SET idle_in_transaction_session_timeout = \(limit * 2); SET standard_conforming_strings = on;
        SET default_transaction_read_only = off; SET client_min_messages = warning
        """
    }
  }

  extension [String: String] {
    /// Whether all hosts are this machine. libpq's own default is a unix socket. A service is not looked up, and may be
    /// anywhere.
    fileprivate func isLocal(_ environment: (String) -> String?) -> Bool {
      guard (self["service"] ?? environment("PGSERVICE") ?? "").isEmpty else { return false }
      let address = self["hostaddr"] ?? environment("PGHOSTADDR")
      let hosts = (address ?? self["host"] ?? environment("PGHOST") ?? "").split(separator: ",")
      return hosts.allSatisfy {
        ["localhost", "127.0.0.1", "::1"].contains($0) || $0.hasPrefix("/") || $0.hasPrefix("@")
      }
    }
  }

  extension BackOff {
    /// Between attempts to connect, so that calls succeed soon after the server is back.
    static var ofConnections: BackOff { BackOff(first: .milliseconds(100), longest: .seconds(2)) }
  }
#endif
