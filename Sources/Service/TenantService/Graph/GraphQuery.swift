import Cryptography
import HTTP
import JSON
import Model

/// The query options of a request to Graph.
package struct GraphQuery: Sendable {
  package static let usualPage = 100
  package static let largestPage = 999

  /// How many elements a page has.
  package private(set) var top: Int?
  package private(set) var skip = 0
  /// `nil` for all members.
  package private(set) var select: [String]?
  package private(set) var expand: [String] = []
  package private(set) var counts = false
  /// `nil` for all elements.
  package private(set) var filter: GraphFilter?
  /// Members to sort by. Elements that are equal in them are sorted by id, as all are without this.
  package private(set) var order: [(name: String, isDescending: Bool)] = []
  /// The id of the last element of the page before; `nil` for the first page.
  package private(set) var after: String?
  /// Parameters of a function, such as `userId`.
  package private(set) var parameters: [String: String] = [:]
  /// What a link to the next page repeats.
  private var repeated: [(name: String, value: String)] = []

  /// `options` are those that the resource understands. Throws for others, because an ignored option would lead to a
  /// wrong answer.
  package init(
    _ target: HTTPTarget, options: Set<String> = [], expanding expandable: [String] = [],
    parameters known: [String] = []
  ) throws(GraphError) {
    var seen: Set<String> = []
    for (name, value) in target.query {
      guard seen.insert(name).inserted else { throw .badRequest("The query option \(name) is given twice.") }
      if known.contains(name) {
        parameters[name] = value
      } else {
        try read(name, value, options, expandable)
      }
      if name != "$skiptoken" && name != "$skip" { repeated.append((name, value)) }
    }
  }

  private mutating func read(
    _ name: String, _ value: String, _ options: Set<String>, _ expandable: [String]
  ) throws(GraphError) {
    guard options.contains(name) else {
      let known = options.sorted()
      let hint = known.nearest(to: name).map { " Did you mean \($0)?" } ?? ""
      throw .badRequest(
        "The query option \(name.shortened) is not supported here"
          + (known.isEmpty ? "." : "; supported are \(known.joined(separator: ", ")).") + hint)
    }
    switch name {
    case "$top": top = min(try Self.number(name, value, from: 1), Self.largestPage)
    case "$skip": skip = try Self.number(name, value, from: 0)
    case "$select": select = try Self.names(name, value)
    case "$count": counts = try Self.flag(name, value)
    case "$filter": filter = try GraphFilter.read(value)
    case "$orderby": order = try Self.order(value)
    case "$expand": expand = try Self.expansions(try Self.names(name, value), expandable)
    default:
      let bytes = Base64URL.decode(value)
      guard let text = bytes.flatMap({ String(validating: $0, as: UTF8.self) }), !text.isEmpty, !text.contains("\0")
      else {
        throw .badRequest("The $skiptoken is not one of this service. Start again without it.")
      }
      after = text
    }
  }

  private static func number(_ name: String, _ value: String, from least: Int) throws(GraphError) -> Int {
    guard let number = Int(value), number >= least, number <= 1_000_000 else {
      throw .badRequest("\(name) must be a number from \(least) to 1000000.")
    }
    return number
  }

  private static func flag(_ name: String, _ value: String) throws(GraphError) -> Bool {
    guard value == "true" || value == "false" else { throw .badRequest("\(name) must be true or false.") }
    return value == "true"
  }

  private static func names(_ name: String, _ value: String) throws(GraphError) -> [String] {
    let names = value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmedASCII)
    guard names.allSatisfy(\.isGraphName) else {
      throw .badRequest("\(name) must be a list of names, separated by commas; nested options are not supported.")
    }
    return names
  }

  /// In any case, as Graph takes them.
  private static func expansions(_ names: [String], _ expandable: [String]) throws(GraphError) -> [String] {
    var expansions: [String] = []
    for name in names {
      guard let known = expandable.first(where: { $0.lowercasedASCII == name.lowercasedASCII }) else {
        throw .badRequest(
          "Parsing OData Select and Expand failed: Could not find a property named '\(name.shortened)' here; only "
            + "\(expandable.joined(separator: " and ")) can be expanded.")
      }
      if !expansions.contains(known) { expansions.append(known) }
    }
    return expansions
  }

  private static func order(_ value: String) throws(GraphError) -> [(name: String, isDescending: Bool)] {
    var order: [(name: String, isDescending: Bool)] = []
    for part in value.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: " ").map(String.init)
      let direction = words.count > 1 ? words[1].lowercased() : "asc"
      guard (1...2).contains(words.count), words[0].isGraphName, direction == "asc" || direction == "desc" else {
        throw .badRequest(
          "$orderby must be a list of names, separated by commas, each with asc or desc after it or not.")
      }
      order.append((words[0], direction == "desc"))
    }
    return order
  }

  /// The query with the names that the elements have, where it may spell them in another case. Throws for names that there
  /// are not.
  func named(_ names: GraphProperties) throws(GraphError) -> GraphQuery {
    var query = self
    query.filter = try filter?.mapped { (name) throws(GraphError) in try names.known(name, "$filter") }
    query.order = []
    for part in order { query.order.append((try names.known(part.name, "$orderby"), part.isDescending)) }
    return query
  }

  /// The query with this order if it has none.
  func sorted(by name: String, isDescending: Bool) -> GraphQuery {
    var query = self
    if order.isEmpty { query.order = [(name, isDescending)] }
    return query
  }

  package func isMet(by object: JSONObject) -> Bool { filter?.isMet(by: object) ?? true }

  /// The query of a path that ends with `/$count`. Only elements that meet the filter count.
  package init(counting target: HTTPTarget) throws(GraphError) {
    try self.init(target, options: ["$filter"])
    (counts, top) = (true, 1)
  }

  /// The query of a link to the page after `last`. `skip` is how many elements are still to be left out.
  package func text(after last: String, skipping skip: Int = 0) -> String {
    var pairs = repeated.map { "\($0.name.escapedName)=\($0.value.percentEncoded)" }
    if skip > 0 { pairs.append("$skip=\(skip)") }
    return (pairs + ["$skiptoken=\(Base64URL.encode(Array(last.utf8)))"]).joined(separator: "&")
  }

  /// The object with the selected members only. The id and the type stay, as in Graph.
  package func selected(_ object: JSONObject) -> JSONObject {
    guard let select else { return object }
    let kept = Set(select + expand + expand.map { $0 + "@odata.context" } + ["id", "@odata.type"])
    return JSONObject(object.members.filter { kept.contains($0.name) }.map { ($0.name, $0.value) })
  }
}

extension String {
  /// Letters, digits and underscores.
  fileprivate var isGraphName: Bool {
    !isEmpty && utf8.count <= 100
      && utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
      }
  }

  fileprivate var shortened: String { String(prefix(60)) }

  /// A name of a query option, with its dollar sign as it is.
  fileprivate var escapedName: String { hasPrefix("$") ? "$" + String(dropFirst()).percentEncoded : percentEncoded }
}
