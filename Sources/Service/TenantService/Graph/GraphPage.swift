import Database
import HTTP
import JSON

/// Pages of lists. A page begins after the last id of the page before, so that nothing is missed or repeated when the
/// list changes in between.
extension GraphCall {
  /// How many elements are looked at for one page. A page of a rare match may have fewer elements than asked for, and
  /// still a link to the next.
  private static let longestScan = 20_000

  /// A page of elements in memory, sorted by id.
  func page(_ objects: [JSONObject], _ context: String, _ query: GraphQuery) -> GraphAnswer {
    let matching = objects.filter { object in query.filter.allSatisfy { $0.isMet(by: object) } }
    let rest =
      (query.after.map { after in
        matching.drop { object in !after.utf8.lexicographicallyPrecedes((object["id"]?.stringValue ?? "").utf8) }
      } ?? matching[...]).dropFirst(query.skip)
    let size = query.top ?? service.settings.pageSize
    let isLast = rest.count <= size
    let last = isLast ? nil : rest.prefix(size).last?["id"]?.stringValue
    return page(Array(rest.prefix(size)), context, query, count: matching.count, continuingAfter: last)
  }

  /// A page of what a store lists in pieces. `next` gives at most `limit` elements after an id.
  func page<Element>(
    _ context: String, _ query: GraphQuery, count: () async throws(DatabaseError) -> Int,
    next: (_ after: String?, _ limit: Int) async throws(DatabaseError) -> [Element],
    object: (Element) -> (id: String, JSONObject)
  ) async throws -> GraphAnswer {
    let size = query.top ?? service.settings.pageSize
    var (after, skipped, seen) = (query.after, 0, 0)
    var found: [JSONObject] = []
    var isEnd = false
    while found.count < size, seen < Self.longestScan, !isEnd {
      let limit = query.filter.isEmpty && query.skip == 0 ? size - found.count : 1000
      let piece = try await next(after, limit)
      isEnd = piece.count < limit
      for element in piece {
        let (id, object) = object(element)
        guard found.count < size else {
          isEnd = false
          break
        }
        after = id
        seen += 1
        guard query.filter.allSatisfy({ $0.isMet(by: object) }) else { continue }
        skipped += 1
        if skipped > query.skip { found.append(object) }
      }
    }
    if !isEnd, found.count == size, try await next(after, 1).isEmpty { isEnd = true }
    let total = query.counts ? try await counted(query, count) : nil
    let rest = max(0, query.skip - skipped)
    return page(found, context, query, count: total, continuingAfter: isEnd ? nil : after, skipping: rest)
  }

  private func counted(
    _ query: GraphQuery, _ count: () async throws(DatabaseError) -> Int
  ) async throws -> Int {
    guard query.filter.isEmpty else {
      throw GraphError.badRequest("$count cannot be used together with this $filter.")
    }
    return try await count()
  }

  private func page(
    _ objects: [JSONObject], _ context: String, _ query: GraphQuery, count: Int?, continuingAfter last: String?,
    skipping skip: Int = 0
  ) -> GraphAnswer {
    if path.isCount, let count { return .count(count) }
    var page: JSONObject = ["@odata.context": self.context(context)]
    if query.counts, let count { page["@odata.count"] = .integer(Int64(count)) }
    if let last {
      page["@odata.nextLink"] = .string(
        "\(service.settings.publicURL)\(path.text)?\(query.text(after: last, skipping: skip))")
    }
    page["value"] = .array(objects.map { .object(query.selected($0)) })
    return .value(.object(page))
  }
}
