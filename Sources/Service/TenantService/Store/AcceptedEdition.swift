import Database
import JSON
import Tenancy

/// What an administrator has accepted, as the store keeps it: later versions of the tenant are compared with it.
struct AcceptedEdition: Hashable, Sendable {
  /// Increases with each change.
  var revision: Int64
  /// The last accepted version of the tenant, with all that was added since.
  var body: [UInt8]
  /// What was published last, while some of its removals are held back; `nil` if none are.
  var wanted: [UInt8]?
  var held: HeldRemovals
  /// The version of the tenant that is served with `held`.
  var generation: Int64
}

extension DatabaseSession {
  /// `nil` before the first publication.
  func acceptedEdition() throws(DatabaseError) -> AcceptedEdition? {
    try row("SELECT revision, body, wanted, held, generation FROM accepted_edition").map { row in
      AcceptedEdition(
        revision: row.integer(0) ?? 0, body: row.bytes(1) ?? [], wanted: row.bytes(2),
        held: Self.held(row.text(3)), generation: row.integer(4) ?? 0)
    }
  }

  /// What is held back of a version of the tenant.
  func heldRemovals(of generation: Int64) throws(DatabaseError) -> HeldRemovals {
    let row = try row(
      "SELECT held FROM accepted_edition WHERE generation = :generation", ["generation": .integer(generation)])
    return Self.held(row?.text(0))
  }

  private static func held(_ text: String?) -> HeldRemovals {
    text.flatMap { try? JSONValue(parsing: $0) }.map(HeldRemovals.init) ?? HeldRemovals()
  }

  func set(_ edition: AcceptedEdition) throws(DatabaseError) {
    try run("DELETE FROM accepted_edition")
    try run(
      """
      INSERT INTO accepted_edition (revision, body, wanted, held, generation)
      VALUES (:revision, :body, :wanted, :held, :generation)
      """,
      [
        "revision": .integer(edition.revision), "body": .bytes(edition.body),
        "wanted": edition.wanted.map(DatabaseValue.bytes) ?? .null,
        "held": .text(edition.held.jsonValue.jsonText), "generation": .integer(edition.generation),
      ])
  }
}
