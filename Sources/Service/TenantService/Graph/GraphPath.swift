import HTTP

/// The path of a request below `/v1.0` or `/beta`, in parts. `name('key')` counts as two parts, as in OData.
struct GraphPath: Sendable {
  let version: String
  /// As they came: which of them is a name and which is a key, only a route knows.
  let parts: [String]
  /// Whether only the number of elements is asked for: the path of a list with `/$count` at its end.
  let isCount: Bool
  /// As it came, without the query.
  let text: String

  init(_ target: HTTPTarget, url: String) {
    version = target.path.first ?? ""
    let parts = target.path.dropFirst().filter { !$0.isEmpty }.flatMap(Self.split)
    isCount = parts.last == "$count"
    self.parts = isCount ? parts.dropLast() : parts
    text = String(url.prefix { $0 != "?" })
  }

  private static func split(_ part: String) -> [String] {
    guard part.hasSuffix("')"), let start = part.firstRange(of: "('") else { return [part] }
    let key = part[start.upperBound...].dropLast(2).replacingQuotes
    return [String(part[..<start.lowerBound]), key]
  }

  var isBatch: Bool { parts == ["$batch"] }

  /// The parts that stand for `*` in the pattern.
  func arguments(of route: GraphRoute) -> [String] {
    zip(route.pattern, parts).filter { $0.0 == "*" }.map(\.1)
  }
}

extension String {
  /// `user` of `microsoft.graph.user` and `graph.user`, and a function without its brackets.
  fileprivate var withoutNamespace: String {
    let name = hasSuffix("()") ? String(dropLast(2)) : self
    for prefix in ["microsoft.graph.", "graph."] where name.hasPrefix(prefix) {
      return String(name.dropFirst(prefix.utf8.count))
    }
    return name
  }
}

extension Substring {
  /// Two quotes stand for one.
  fileprivate var replacingQuotes: String {
    var text = ""
    var isQuote = false
    for character in self {
      if character == "'" && isQuote {
        isQuote = false
        continue
      }
      isQuote = character == "'"
      text.append(character)
    }
    return text
  }
}

/// A resource: which paths have it, and what answers.
struct GraphRoute: Sendable {
  typealias Answer = @Sendable (GraphCall, [String]) async throws -> GraphAnswer

  /// Names, and `*` for a key.
  let pattern: [String]
  /// The pattern in the letters of Graph.
  let path: String
  let method: String
  let right: GraphAdministrators.Right
  let answer: Answer

  /// Names are compared without regard to case, as Graph does.
  init(
    _ pattern: String, method: String = "GET", right: GraphAdministrators.Right? = nil, _ answer: @escaping Answer
  ) {
    path = pattern
    self.pattern = pattern.split(separator: "/").map { $0.lowercased() }
    self.method = method
    self.right = right ?? (method == "GET" ? .read : .write)
    self.answer = answer
  }

  /// An action has no count.
  private func matches(_ path: GraphPath) -> Bool {
    path.parts.count == pattern.count && (!path.isCount || method == "GET")
      && zip(pattern, path.parts).allSatisfy { $0 == "*" || $0 == $1.lowercased().withoutNamespace }
  }

  /// The routes of a path, one for each method. Those that write are left out if nothing can be written, and those of the
  /// directory unless the tenant is one for development.
  static func find(_ path: GraphPath, writable: Bool, development: Bool) -> [GraphRoute] {
    var found = reads.filter { $0.matches(path) }
    if writable { found += writes.filter { $0.matches(path) } }
    if writable, development { found += directoryWrites.filter { $0.matches(path) } }
    // A fixed name comes before a key in the same place.
    guard let first = found.first?.pattern else { return [] }
    return found.filter { $0.pattern == first }
  }

  private static let reads = policies + registrations + userPolicies + directory + lookups + editions
  private static let writes = policyWrites

  /// Those of every service.
  static let all = reads + writes + directoryWrites

  /// As OData names the kinds of the parts in an error.
  var template: String {
    "~/"
      + pattern.enumerated().map { index, part in
        part == "*" ? "key" : index > 0 ? "navigation" : part == "deviceappmanagement" ? "singleton" : "entityset"
      }.joined(separator: "/")
  }
}
