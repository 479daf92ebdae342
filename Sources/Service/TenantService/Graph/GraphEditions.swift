import Database
import JSON
import Support
import Tenancy

/// The history of the tenant, read-only. Graph has nothing like that.
extension GraphRoute {
  static let editions: [GraphRoute] = [
    GraphRoute("mambridge/editions", right: .audit) { call, _ in try await call.editions() },
    GraphRoute("mambridge/editions/*", right: .audit) { call, keys in try await call.edition(keys[0]) },
    GraphRoute("mambridge/editions/*/changes", right: .audit) { call, keys in
      try await call.changes(ofEdition: keys[0])
    },
    GraphRoute("mambridge/editions/*/differences", right: .audit) { call, keys in
      try await call.differences(ofEdition: keys[0])
    },
  ]
}

extension GraphCall {
  private static let list = "mambridge/editions"
  private static let from = "from"

  /// The newest first.
  fileprivate func editions() async throws -> GraphAnswer {
    let query = try query(of: .edition).sorted(by: "edition", isDescending: true)
    return try page(try await keptEditions(), Self.list, query)
  }

  fileprivate func edition(_ key: String) async throws -> GraphAnswer {
    let query = try query(of: .edition, Self.itemOptions)
    let number = try number(key)
    guard let edition = try await keptEditions().first(where: { $0["edition"]?.integerValue == number }) else {
      throw Self.unknown(key)
    }
    return item(edition, Self.list, query)
  }

  private func keptEditions() async throws(DatabaseError) -> [JSONObject] {
    let apps = try await store.registrationsOfEditions()
    return try await store.editions(limit: Int(EditionLimits.count) + 1).map { $0.graph(apps: apps[$0.number] ?? 0) }
  }

  /// What the edition has changed of the one before, member by member.
  fileprivate func changes(ofEdition key: String) async throws -> GraphAnswer {
    let query = try query(of: .line)
    let (number, files) = try await files(key)
    let lines = try await comparing { [store] in try await EditionChanges(of: number, files, in: store).lines }
    return try page(Self.objects(lines), "\(Self.list)/\(number)/changes", query)
  }

  /// What changes in decisions from another edition to this one.
  fileprivate func differences(ofEdition key: String) async throws -> GraphAnswer {
    let query = try query(of: .line, parameters: [Self.from])
    guard let from = query.parameters[Self.from] else {
      throw GraphError.badRequest("Name the edition to compare with, such as ?\(Self.from)=41.")
    }
    let (old, new) = (try await files(from).files.served, try await files(key).files.served)
    let lines = try await comparing { try EditionDifferences(from: old, to: new).lines }
    return try page(Self.objects(lines), "\(Self.list)/\(key)/differences", query)
  }

  /// Lets a comparison keep a thread of its own busy, one at a time.
  private func comparing(_ body: @escaping @Sendable () async throws -> [String]) async throws -> [String] {
    do {
      return try await withTaskExecutorPreference(BlockingExecutor.shared) { [service] in
        try await service.comparisons.take(body)
      }
    } catch let fault as EditionFault {
      throw GraphError.conflict("These editions cannot be compared: \(fault.description).")
    }
  }

  private func number(_ key: String) throws(GraphError) -> Int64 {
    guard let number = Int64(key), number > 0 else { throw Self.unknown(key) }
    return number
  }

  private func files(_ key: String) async throws -> (number: Int64, files: EditionFiles) {
    let number = try number(key)
    guard let files = try await store.files(ofEdition: number) else { throw Self.unknown(key) }
    return (number, files)
  }

  private static func unknown(_ key: String) -> GraphError {
    .notFound("There is no edition \(key.prefix(100)). /\(list) lists the editions.")
  }

  /// Lines in their order, which their ids keep.
  private static func objects(_ lines: [String]) -> [JSONObject] {
    let width = String(lines.count).count
    return lines.enumerated().map { place, text in
      let number = String(place + 1)
      return [
        "id": .string(String(repeating: "0", count: width - number.count) + number), "text": .string(text),
      ]
    }
  }
}

extension Edition {
  static let sample = Edition(number: 0, time: .earliestText, actor: "", digest: [], size: 0)

  var graph: JSONObject { graph(apps: 0) }

  fileprivate func graph(apps: Int) -> JSONObject {
    JSONObject([("id", .string(String(number)))]).adding(jsonObject(apps: apps))
  }
}
