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
  func page(_ objects: [JSONObject], _ context: String, _ query: GraphQuery) throws(GraphError) -> GraphAnswer {
    let order = GraphOrder(query.order)
    let matching = order.sorted(objects.filter(query.isMet))
    let rest = try query.after.map { (after) throws(GraphError) in try order.rest(of: matching, after: after) }
    let size = query.top ?? service.settings.pageSize
    let left = (rest ?? matching[...]).dropFirst(query.skip)
    let last = left.count <= size ? nil : left.prefix(size).last.map(order.place)
    return page(Array(left.prefix(size)), context, query, count: matching.count, continuingAfter: last)
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
      let limit = query.filter == nil && query.skip == 0 ? size - found.count : 1000
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
        guard query.isMet(by: object) else { continue }
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
    guard query.filter == nil else {
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

/// How a list is sorted, and where a page of it ends.
private struct GraphOrder {
  let members: [(name: String, isDescending: Bool)]

  init(_ members: [(name: String, isDescending: Bool)]) { self.members = members }

  /// The objects are sorted by id.
  func sorted(_ objects: [JSONObject]) -> [JSONObject] {
    guard !members.isEmpty else { return objects }
    return objects.map { (key($0), $0) }.sorted { precedes($0.0, $1.0) }.map(\.1)
  }

  /// What the object is sorted by. Its id comes last.
  private func key(_ object: JSONObject) -> [JSONValue] {
    members.map { object[$0.name] ?? .null } + [object["id"] ?? .null]
  }

  /// What has no order, such as null, comes first.
  private func precedes(_ first: [JSONValue], _ second: [JSONValue]) -> Bool {
    for (place, pair) in zip(first, second).enumerated() {
      let order = pair.0.rank != pair.1.rank ? pair.0.rank - pair.1.rank : pair.0.order(to: pair.1) ?? 0
      guard order != 0 else { continue }
      let isDescending = place < members.count && members[place].isDescending
      return isDescending ? order > 0 : order < 0
    }
    return false
  }

  /// The place of an object, for the link to the page after it.
  func place(_ object: JSONObject) -> String {
    members.isEmpty ? object["id"]?.stringValue ?? "" : JSONValue.array(key(object)).jsonText
  }

  /// The objects after a place, also if the object there is gone.
  func rest(of objects: [JSONObject], after place: String) throws(GraphError) -> ArraySlice<JSONObject> {
    guard !members.isEmpty else {
      return objects.drop { object in !place.utf8.lexicographicallyPrecedes((object["id"]?.stringValue ?? "").utf8) }
    }
    guard let key = (try? JSONValue(parsing: place))?.arrayValue, key.count == members.count + 1 else {
      throw .badRequest("The $skiptoken is not one of this list. Start again without it.")
    }
    return objects.drop { !precedes(key, self.key($0)) }
  }
}

extension JSONValue {
  /// Values of different kinds are sorted by kind.
  fileprivate var rank: Int {
    switch self {
    case .null: 0
    case .bool(let flag): flag ? 2 : 1
    case .integer, .number: 3
    case .string: 4
    case .array, .object: 5
    }
  }
}
