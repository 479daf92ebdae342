import JSON
import Support

/// The lines of the diagnostics log to return. A member that is `nil` does not restrict them.
public struct LogQuery: Hashable, Sendable {
  /// This level and above.
  public var level: LogLevel?
  /// Inclusive at both ends.
  public var since: Timestamp?
  public var until: Timestamp?
  /// A part of the message. Case matters.
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
    Field("text", \.text, "Only lines whose message contains this text. Case matters."),
    Field("category", \.category, "Only lines of this category."),
    Field("limit", \.limit, default: 100, "The maximum number of lines to return."),
    Field(
      "order", \.order, default: .newest, "Which lines come first, and are returned if there are more than `limit`."))
}

/// Which lines of the log come first.
public enum LogOrder: String, CaseIterable, Hashable, Sendable { case newest, oldest }

extension LogOrder: NamedValue {}

/// The maximum number of lines that a query returns: 1 to 10,000.
public struct LogLimit: Hashable, Sendable, ExpressibleByIntegerLiteral {
  public static let range = 1...10_000
  public let count: Int

  /// Clamps a number outside the range to its nearest end.
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

/// The part of the server that a line of the diagnostics log is about.
///
/// The name keeps at most 64 bytes of a text. Every byte that is not an ASCII letter, a digit or one of `._-` becomes
/// `-`.
public struct LogCategory: Hashable, Sendable {
  public let name: String

  public init(_ text: String) {
    let kept = text.utf8.prefix(64).map { $0.isCategoryByte ? $0 : UInt8(ascii: "-") }
    name = kept.isEmpty ? "host" : String(decoding: kept, as: UTF8.self)
  }
}

extension LogCategory: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(value) }
}

extension LogCategory {
  public static let accounts: LogCategory = "accounts"
  public static let appConfig: LogCategory = "appConfig"
  public static let certificatePinning: LogCategory = "certificatePinning"
  public static let conditionalLaunch: LogCategory = "conditionalLaunch"
  public static let dataProtection: LogCategory = "dataProtection"
  public static let diagnostics: LogCategory = "diagnostics"
  public static let enrollment: LogCategory = "enrollment"
  public static let files: LogCategory = "files"
  /// Lines that a host wrote without naming a category.
  public static let host: LogCategory = "host"
  public static let policy: LogCategory = "policy"
  public static let server: LogCategory = "server"
  public static let settings: LogCategory = "settings"
  public static let store: LogCategory = "store"
  public static let tenant: LogCategory = "tenant"
}

extension LogCategory: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> LogCategory {
    LogCategory(try String.decode(node))
  }

  package func encode(to writer: inout JSONWriter) { writer.plainString(name.utf8) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string"] }
}

extension UInt8 {
  fileprivate var isCategoryByte: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }
}

/// One line of the diagnostics log.
public struct LogEntry: Hashable, Sendable {
  public var time: Timestamp
  public var level: LogLevel
  public var category: LogCategory
  public var message: String
  /// `nil` if no request caused the line.
  public var cause: RequestCause?

  public init(
    time: Timestamp, level: LogLevel, category: LogCategory, message: String, cause: RequestCause? = nil
  ) {
    self.time = time
    self.level = level
    self.category = category
    self.message = message
    self.cause = cause
  }
}

extension LogEntry: Record {
  package static let fields = Fields(
    Self.init(time:level:category:message:cause:),
    Field("time", \.time, "When the line was written."),
    Field("level", \.level, "How important the line is."),
    Field("category", \.category, "The part of the server that the line is about."),
    Field("message", \.message, "What happened; personal data only in verbose lines."),
    Field("cause", \.cause, "The request that caused the line; null if none did, or if it was answered from memory."))
}
