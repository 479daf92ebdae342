import Database
import JSON
import Tenancy

/// What others have changed since a folder was published last, such as administrators through Graph.
package struct EditsSincePublication: Hashable, Sendable {
  /// The edition that was published from a folder last; `nil` if it is not kept any more.
  package let published: Int64?
  /// The edition that is served.
  package let served: Int64
  /// The files that publishing a folder would take back, by path. A file that the folder has as it is served, or as JSON
  /// that says the same, takes nothing back.
  package let takenBack: [String]

  /// `nil` if others have changed nothing.
  fileprivate init?(
    _ published: (number: Int64, files: TenantFileSet)?, _ served: (number: Int64, files: TenantFileSet),
    publishing folder: TenantFileSet
  ) {
    let (old, new) = (published?.files.texts ?? [:], served.files.texts)
    let changed = Set(old.keys).union(new.keys).filter { !Self.isSame(old[$0], new[$0]) }
    guard !changed.isEmpty else { return nil }
    takenBack = changed.filter { !Self.isSame(new[$0], folder.texts[$0]) }.sorted()
    (self.published, self.served) = (published?.number, served.number)
  }

  private static func isSame(_ one: String?, _ other: String?) -> Bool {
    guard one != other else { return true }
    guard let one, let other, let value = try? JSONValue(parsing: one) else { return false }
    return value == (try? JSONValue(parsing: other))
  }

  package var line: String {
    let names = takenBack.prefix(Self.mostNames).joined(separator: ", ")
    let rest = takenBack.count - Self.mostNames
    let last = published.map { "edition \($0), the last one from a folder" } ?? "the last edition from a folder"
    return "others have changed the tenant since \(last): \(names)" + (rest > 0 ? " and \(rest) more" : "")
  }

  private static let mostNames = 10
}

extension TenantStore {
  /// The actor of editions that come from a folder, by `mambridge-tenant publish`.
  package static let publisher = "publish"
  /// The actor of an edition that a program published that kept none, from a folder.
  static let unknownActor = "unknown"

  /// Throws if publishing the folder takes back what others have changed.
  package func checkEdits(publishing folder: TenantFileSet) async throws(PublicationFailure) {
    _ = try await edits(before: try await publishedFiles().basis, publishing: folder)
  }

  /// `nil` if others have changed nothing. Throws if publishing the folder takes that back.
  func edits(
    before basis: PublicationBasis, publishing folder: TenantFileSet
  ) async throws(PublicationFailure) -> EditsSincePublication? {
    guard let body = basis.published, let generation = basis.generation else { return nil }
    let last: (number: Int64, body: [UInt8])?
    do throws(DatabaseError) {
      last = try await database.read { session throws(DatabaseError) in
        try session.row(
          """
          SELECT number, COALESCE(source, body) FROM edition WHERE actor IN (:publisher, :unknown)
          ORDER BY number DESC LIMIT 1
          """, ["publisher": .text(Self.publisher), "unknown": .text(Self.unknownActor)]
        ).map { ($0.integer(0) ?? 0, $0.bytes(1) ?? []) }
      }
    } catch { throw .database(error) }
    guard last?.number != generation else { return nil }
    let edits = try PublicationFailure.reading { () throws(TenantError) in
      var published: (Int64, TenantFileSet)?
      if let last { published = (last.number, try TenantFileSet(stored: last.body)) }
      return EditsSincePublication(published, (generation, try TenantFileSet(stored: body)), publishing: folder)
    }
    if let edits, !edits.takenBack.isEmpty { throw .edited(edits) }
    return edits
  }
}
