import JSON
import Support

/// Which lines of the diagnostics log are wanted. What is nil does not restrict.
public struct LogQuery: Hashable, Sendable {
  /// This level and above.
  public var level: LogLevel?
  /// Inclusive at both ends.
  public var since: Timestamp?
  public var until: Timestamp?
  /// Part of the message; case matters.
  public var text: String?
  public var category: LogCategory?
  public var limit: LogLimit
  public var order: LogOrder

  public init(
    level: LogLevel? = nil, since: Timestamp? = nil, until: Timestamp? = nil, text: String? = nil,
    category: LogCategory? = nil, limit: LogLimit = 100, order: LogOrder = .newest
  ) {
    self.level = level
    self.since = since
    self.until = until
    self.text = text
    self.category = category
    self.limit = limit
    self.order = order
  }
}

extension LogQuery: Record {
  package static let fields = Fields(
    Self.init(level:since:until:text:category:limit:order:),
    Field("level", \.level, "Only lines of this level and above."),
    Field("since", \.since, "Only lines written at this time or later."),
    Field("until", \.until, "Only lines written at this time or earlier."),
    Field("text", \.text, "Only lines whose message contains this text; case matters."),
    Field("category", \.category, "Only lines of this category."),
    Field("limit", \.limit, default: 100, "How many lines at most."),
    Field("order", \.order, default: .newest, "Which come first, and are kept when there are more than `limit`."))
}

/// Which lines of the log come first.
public enum LogOrder: String, CaseIterable, Hashable, Sendable { case newest, oldest }

extension LogOrder: NamedValue {}

/// How many lines a query returns at most: 1 to 10000.
public struct LogLimit: Hashable, Sendable, ExpressibleByIntegerLiteral {
  public static let range = 1...10_000
  public let count: Int

  /// A number outside the range counts as its nearest end.
  public init(_ count: Int) {
    self.count = min(max(count, Self.range.lowerBound), Self.range.upperBound)
  }

  public init(integerLiteral value: Int) { self.init(value) }
}

extension LogLimit: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> LogLimit {
    let count = try Int.decode(node)
    guard range.contains(count) else {
      throw JSONDecodingError(.invalid("must be from \(range.lowerBound) to \(range.upperBound)"))
    }
    return LogLimit(count)
  }

  package func encode(to writer: inout JSONWriter) { writer.integer(Int64(count)) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    [
      "type": "integer", "minimum": .integer(Int64(range.lowerBound)), "maximum": .integer(Int64(range.upperBound)),
    ]
  }
}
