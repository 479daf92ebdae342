import JSON
import Model
import Support
import Testing

@testable import MAM

@Suite struct LogRecordTests {
  private func query(_ text: String) throws -> LogQuery { try LogQuery.decode(JSONDocument(parsing: text).root) }

  @Test("A log query can be read from an empty object and from one with all members")
  func query() throws {
    #expect(try query("{}") == LogQuery())
    let whole = LogQuery(
      level: .warning, since: Timestamp("2026-01-31T09:30:00.5Z"), until: Timestamp("2026-02-01T00:00:00Z"),
      text: "a", category: .policy, limit: 7, order: .oldest)
    #expect(try query(whole.jsonText) == whole)
  }

  static let wrongQueries: [(String, String)] = [
    (#"{"limit":0}"#, "/limit must be from 1 to 10000"), (#"{"limit":10001}"#, "/limit must be from 1 to 10000"),
    (#"{"order":"up"}"#, #"/order must be one of "newest", "oldest""#),
    (#"{"since":"yesterday"}"#, "/since must be a time such as 2026-01-31T09:30:00Z (RFC 3339)"),
    (#"{"until":5}"#, "/until must be a string, not an integer"),
  ]

  @Test("An invalid member of a log query is refused with the values that are allowed", arguments: wrongQueries)
  func wrong(text: String, message: String) throws {
    let error = try #require(throws: JSONDecodingError.self) { try query(text) }
    #expect(error.message == message)
  }

  @Test("A log entry can be written and read back; the schema type of its time is date-time")
  func entry() throws {
    let entry = LogEntry(time: Timestamp(milliseconds: 5), level: .error, category: .store, message: "m")
    let text = #"{"time":"1970-01-01T00:00:00.005Z","level":"error","category":"store","message":"m","cause":null}"#
    #expect(entry.jsonText == text)
    #expect(try LogEntry.decode(JSONDocument(parsing: text).root) == entry)
    #expect(LogLine.bytes(of: entry) == Array((text.dropLast(",\"cause\":null}".count) + "}\n").utf8))
    var components = SchemaComponents()
    #expect(Timestamp.schema(in: &components) == ["type": "string", "format": "date-time"])
  }
}
