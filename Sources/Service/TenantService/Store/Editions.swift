import Database
import JSON
import Support
import Tenancy

/// A version of the tenant that was served once.
package struct Edition: Hashable, Sendable {
  /// The generation that it was served as.
  package let number: Int64
  package let time: Timestamp
  /// Who has made it: an administrator, `folder` for a change of the folder by others, `publish`, `history` or `accept`.
  package let actor: String
  /// The SHA-256 of what was served.
  package let digest: [UInt8]
  /// In bytes.
  package let size: Int64

  /// For programs. `apps` is how many registrations run the edition.
  package func jsonObject(apps: Int) -> JSONObject {
    [
      "edition": .integer(number), "time": .string(time.description), "actor": .string(actor),
      "digest": .string(Hex.encode(digest)), "bytes": .integer(size), "apps": .integer(Int64(apps)),
    ]
  }
}

/// What was served as an edition, and what was written, which may lack what was held back.
package struct EditionFiles: Sendable {
  package let served: TenantFileSet
  package let source: TenantFileSet
}

/// How many editions are kept. The last one always is.
package enum EditionLimits {
  package static let count: Int64 = 1000
  /// Of all editions together, in bytes.
  package static let size: Int64 = 256 << 20
  /// How many changes of one edition are in the audit.
  package static let auditLines = 100
}

extension TenantStore {
  /// The newest first.
  package func editions(limit: Int = 1000) async throws(DatabaseError) -> [Edition] {
    try await database.read { session throws(DatabaseError) in try session.editions(limit: limit) }
  }

  /// How many registrations that have not ended run which edition; 0 for those of whom nobody knows it.
  package func registrationsOfEditions() async throws(DatabaseError) -> [Int64: Int] {
    let pageSize = 1000
    var (counts, last) = ([Int64: Int](), "")
    while true {
      let page = try await registrations(after: last, limit: pageSize)
      for registration in page { counts[registration.facts.edition ?? 0, default: 0] += 1 }
      guard let end = page.last?.id, page.count == pageSize else { return counts }
      last = end
    }
  }

  /// `nil` if it is not kept, or cannot be read.
  package func files(ofEdition number: Int64) async throws(DatabaseError) -> EditionFiles? {
    let bodies = try await database.read { session throws(DatabaseError) in
      try session.row("SELECT body, source FROM edition WHERE number = :number", ["number": .integer(number)])
        .map { ($0.bytes(0) ?? [], $0.bytes(1)) }
    }
    guard let (body, source) = bodies, let served = try? TenantFileSet(stored: body) else { return nil }
    return EditionFiles(served: served, source: source.flatMap { try? TenantFileSet(stored: $0) } ?? served)
  }
}

extension DatabaseSession {
  fileprivate func editions(limit: Int) throws(DatabaseError) -> [Edition] {
    try rows(
      "SELECT number, time, actor, digest, size FROM edition ORDER BY number DESC LIMIT :limit",
      ["limit": .integer(Int64(max(0, limit)))]
    ).map { row in
      Edition(
        number: row.integer(0) ?? 0, time: row.time(1) ?? .earliestText, actor: row.text(2) ?? "",
        digest: row.bytes(3) ?? [], size: row.integer(4) ?? 0)
    }
  }

  /// Keeps a version. `source` is what was written, if that differs. Deletes what is more than there may be.
  func keep(_ snapshot: StoredSnapshot, by actor: String, source: [UInt8]?) throws(DatabaseError) {
    let size = snapshot.body.count + (source?.count ?? 0)
    try run(
      """
      INSERT INTO edition (number, time, actor, digest, size, body, source)
      VALUES (:number, :time, :actor, :digest, :size, :body, :source) ON CONFLICT (number) DO NOTHING
      """,
      [
        "number": .integer(snapshot.generation), "time": DatabaseValue(snapshot.published), "actor": .text(actor),
        "digest": .bytes(snapshot.digest), "size": .integer(Int64(size)), "body": .bytes(snapshot.body),
        "source": source.map(DatabaseValue.bytes) ?? .null,
      ])
    var (count, total) = (Int64(0), Int64(0))
    let kept = try editions(limit: Int(EditionLimits.count) + 1)
    guard
      let first = kept.first(where: { edition in
        (count, total) = (count + 1, total + edition.size)
        return count > 1 && (count > EditionLimits.count || total > EditionLimits.size)
      })
    else { return }
    try run("DELETE FROM edition WHERE number <= :number", ["number": .integer(first.number)])
  }

  /// The last one stays.
  func deleteEditions(before time: Timestamp) throws(DatabaseError) {
    try run(
      "DELETE FROM edition WHERE time < :time AND number < (SELECT max(number) FROM edition)",
      ["time": DatabaseValue(time)])
  }
}
