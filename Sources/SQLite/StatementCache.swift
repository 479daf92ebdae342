/// Prepared statements that are not in use, by their SQL. Taken out while they run.
struct StatementCache {
  static let limit = 64
  private var idle: [String: Statement] = [:]

  mutating func take(_ sql: String) -> Statement? { idle.removeValue(forKey: sql) }

  /// Must have been reset. Any other statement goes when there are too many: the working set is smaller than the limit.
  mutating func put(_ statement: Statement) {
    if idle.count >= Self.limit { _ = idle.popFirst() }
    idle[statement.sql] = statement
  }

  mutating func removeAll() { idle.removeAll() }
}
