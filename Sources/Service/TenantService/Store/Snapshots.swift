import Database
import Support

/// A version of the tenant's files, as the store keeps it.
package struct StoredSnapshot: Hashable, Sendable {
  /// Increases with each change.
  package var generation: Int64
  /// The SHA-256 of the body.
  package var digest: [UInt8]
  package var body: [UInt8]
  package var published: Timestamp
}

extension DatabaseSession {
  /// `nil` if nothing was ever published.
  package func snapshot() throws(DatabaseError) -> StoredSnapshot? {
    try row("SELECT generation, digest, body, published FROM snapshot ORDER BY generation DESC LIMIT 1").map { row in
      StoredSnapshot(
        generation: row.integer(0) ?? 0, digest: row.bytes(1) ?? [], body: row.bytes(2) ?? [],
        published: row.time(3) ?? .earliestText)
    }
  }

  /// Whether the stored version is another one than that of `generation` and `published`. After a restore it may be an
  /// older one.
  func hasSnapshot(otherThan generation: Int64?, _ published: Timestamp?) throws(DatabaseError) -> Bool {
    let row = try row("SELECT generation, published FROM snapshot ORDER BY generation DESC LIMIT 1")
    guard let row else { return false }
    return row.integer(0) != generation || row.time(1) != published
  }

  /// Makes a version the one that is served, unless it is that already, and nothing else has changed. Returns its
  /// generation. `source` is what was written, if something of that is held back; `changes` are for the audit.
  @discardableResult
  package func publish(
    _ body: [UInt8], digest: [UInt8], by actor: String, at time: Timestamp, isNews: Bool = false,
    source: [UInt8]? = nil, changes: [String] = []
  ) throws(DatabaseError) -> Int64 {
    let last = try row("SELECT generation, digest FROM snapshot ORDER BY generation DESC LIMIT 1")
    if let last, last.bytes(1) == digest, !isNews { return last.integer(0) ?? 0 }
    // Published by a program that kept none.
    if let former = try snapshot() { try keep(former, by: TenantStore.unknownActor, source: nil) }
    let generation = (last?.integer(0) ?? 0) + 1
    try run(
      """
      INSERT INTO snapshot (generation, digest, body, published) VALUES (:generation, :digest, :body, :published)
      """,
      [
        "generation": .integer(generation), "digest": .bytes(digest), "body": .bytes(body),
        "published": DatabaseValue(time),
      ])
    try run("DELETE FROM snapshot WHERE generation < :generation", ["generation": .integer(generation)])
    try append(AuditEntry(time, actor, .publish, "snapshot \(generation)"))
    for change in changes { try append(AuditEntry(time, actor, .edit, "snapshot \(generation)", outcome: change)) }
    let snapshot = StoredSnapshot(generation: generation, digest: digest, body: body, published: time)
    try keep(snapshot, by: actor, source: source)
    try notify(ServiceNotice.snapshot.text)
    return generation
  }
}
