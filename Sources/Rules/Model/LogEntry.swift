import JSON
import Support

/// The lines of the diagnostics log to return. A member that is `nil` does not restrict them.
package struct LogQuery: Hashable, Sendable {
  /// This level and above.
  package var level: LogLevel?
  /// Inclusive at both ends.
  package var since: Timestamp?
  package var until: Timestamp?
  /// A part of the message. Case matters.
  package var text: String?
  package var category: LogCategory?
  package var limit: LogLimit
  package var order: LogOrder

  package init(
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
package enum LogOrder: String, CaseIterable, Hashable, Sendable { case newest, oldest }

extension LogOrder: NamedValue {}

/// The maximum number of lines that a query returns: 1 to 10,000.
package struct LogLimit: Hashable, Sendable, ExpressibleByIntegerLiteral {
  package static let range = 1...10_000
  package let count: Int

  /// Clamps a number outside the range to its nearest end.
  package init(_ count: Int) {
    self.count = min(max(count, Self.range.lowerBound), Self.range.upperBound)
  }

  package init(integerLiteral value: Int) { self.init(value) }
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
package struct LogCategory: Hashable, Sendable {
  package let name: String

  package init(_ text: String) {
    let kept = text.utf8.prefix(64).map { $0.isCategoryByte ? $0 : UInt8(ascii: "-") }
    name = kept.isEmpty ? "host" : String(decoding: kept, as: UTF8.self)
  }
}

extension LogCategory: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self.init(value) }
}

extension LogCategory {
  package static let accounts: LogCategory = "accounts"
  package static let appConfig: LogCategory = "appConfig"
  package static let certificatePinning: LogCategory = "certificatePinning"
  package static let conditionalLaunch: LogCategory = "conditionalLaunch"
  package static let dataProtection: LogCategory = "dataProtection"
  package static let diagnostics: LogCategory = "diagnostics"
  package static let enrollment: LogCategory = "enrollment"
  package static let files: LogCategory = "files"
  /// Lines that a host wrote without naming a category.
  package static let host: LogCategory = "host"
  package static let policy: LogCategory = "policy"
  package static let server: LogCategory = "server"
  package static let settings: LogCategory = "settings"
  package static let store: LogCategory = "store"
  package static let tenant: LogCategory = "tenant"
}

extension LogCategory: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> LogCategory {
    LogCategory(try String.decode(node))
  }

  package func encode(to writer: inout JSONWriter) { writer.plainString(name.utf8) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string"] }
}

extension UInt8 {
  fileprivate var isCategoryByte: Bool { isAlphanumeric || "._-".utf8.contains(self) }
}

/// One line of the diagnostics log.
package struct LogEntry: Hashable, Sendable {
  package var time: Timestamp
  package var level: LogLevel
  package var category: LogCategory
  package var message: String
  /// `nil` if no request caused the line.
  package var cause: RequestCause?

  package init(
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
