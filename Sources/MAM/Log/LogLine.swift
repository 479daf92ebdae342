import JSON
import Model
import Support

/// The bytes of a line. Time and level stand first, at fixed offsets, so that a search scans without parsing.
enum LogLine {
  static let beforeTime: StaticString = "{\"time\":\""
  static let beforeLevel: StaticString = "\",\"level\":\""
  static let beforeCategory: StaticString = "\",\"category\":\""
  static let beforeMessage: StaticString = "\",\"message\":\""
  static let end: StaticString = "\"}"

  static let timeOffset = beforeTime.utf8CodeUnitCount
  static let timeLength = 24
  static let levelOffset = timeOffset + timeLength + beforeLevel.utf8CodeUnitCount

  /// A longer message is cut, so that one write holds the line: at most six times this and two hundred bytes.
  static let messageLimit = 4096

  /// With the line feed.
  static func bytes(of entry: LogEntry) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("time", entry.time)
    writer.member("level", entry.level)
    writer.member("category", entry.category)
    writer.member("message", entry.message)
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  static func cut(_ message: String) -> String {
    guard message.utf8.count > messageLimit else { return message }
    var kept = message.utf8.prefix(messageLimit - 3)
    while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
    if let last = kept.last, last >= 0xC0 { kept.removeLast() }
    return String(decoding: kept, as: UTF8.self) + "…"
  }
}
