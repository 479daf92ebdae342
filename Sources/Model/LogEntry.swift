import JSON
import Support

/// One line of the diagnostics log.
public struct LogEntry: Hashable, Sendable {
  public var time: Timestamp
  public var level: LogLevel
  public var category: LogCategory
  public var message: String

  public init(time: Timestamp, level: LogLevel, category: LogCategory, message: String) {
    self.time = time
    self.level = level
    self.category = category
    self.message = message
  }
}

extension LogEntry: Record {
  package static let schemaName: String? = "LogEntry"
  package static let fields = Fields(
    Self.init(time:level:category:message:),
    Field("time", \.time, "When the line was written."),
    Field("level", \.level, "How much it matters."),
    Field("category", \.category, "The part of the program that it is about."),
    Field("message", \.message, "What happened; personal data only in verbose lines."))
}
