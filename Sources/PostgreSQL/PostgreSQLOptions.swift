#if TenantService
import CPostgreSQL
import Database

/// Where a PostgreSQL database is, and how it is used.
package struct PostgreSQLOptions: Sendable {
  /// A URL such as `postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full`, with any parameter of libpq. May hold a
  /// password, so it appears in no text.
  let url: String
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
  package var longestQueue = 4096

  /// Throws `failed` for text that is no URL of PostgreSQL, or that has a parameter unknown to libpq.
  package init(url: String) throws(DatabaseError) {
    guard Self.schemes.contains(where: { url.hasPrefix($0) }) else {
      throw DatabaseError(.failed, "the store is no URL of PostgreSQL. Write \(Self.form).")
    }
    if let reason = Self.fault(in: url) {
      // libpq quotes the part that it cannot read, which may be the password.
      let isSafe = !url.contains("@") && !url.contains("password")
      throw DatabaseError(
        .failed,
        "the URL of the store cannot be read\(isSafe ? ": \(reason)" : ""). Write \(Self.form), with %XX "
          + "for each character of the password that is no letter or digit.")
    }
    self.url = url
  }

  /// What a URL of PostgreSQL begins with.
  package static let schemes = ["postgresql://", "postgres://"]
  private static let form = "postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full"

  /// Why libpq cannot read the URL.
  private static func fault(in url: String) -> String? {
    guard !url.utf8.contains(0) else { return "it contains NUL" }
    var message: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(url, &message)
    defer {
      PQconninfoFree(options)
      PQfreemem(message)
    }
    guard options == nil else { return nil }
    return message.map { String(cString: $0).split(whereSeparator: \.isNewline).joined(separator: " ") } ?? ""
  }

  /// What libpq connects with. The URL comes after what it may change, and before what it must not.
  var keywords: [(name: String, value: String)] {
    [
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

extension Duration {
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
#endif
