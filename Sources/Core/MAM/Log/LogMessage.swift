import JSON
import Model
import Support

/// A message for the diagnostics log that knows which of its parts are personal data.
///
/// Text of unknown origin is interpolated as `public:` or `personal:`, never plainly. Keys, PINs, tokens and protected
/// data are not logged at all.
package struct LogMessage: Sendable {
  enum Part: Equatable, Sendable {
    case plain(String)
    case personal(String, label: String)
  }

  private(set) var parts: [Part] = []
  /// Whether the message contains text that is not a literal of mambridge, and must be searched for identities.
  let hasForeignText: Bool

  /// Plain text of unknown origin.
  init(plain text: String) {
    hasForeignText = true
    append(text)
  }

  /// Joins both messages with a space.
  static func + (left: LogMessage, right: LogMessage) -> LogMessage {
    LogMessage(
      parts: left.parts + [.plain(" ")] + right.parts, hasForeignText: left.hasForeignText || right.hasForeignText)
  }

  fileprivate init(parts: [Part], hasForeignText: Bool) {
    self.hasForeignText = hasForeignText
    for part in parts {
      if case .plain(let text) = part { append(text) } else { self.parts.append(part) }
    }
  }

  /// Joins the text with plain text before it, so that a value to scrub is found across the seam.
  private mutating func append(_ text: String) {
    if case .plain(let before) = parts.last {
      parts[parts.count - 1] = .plain(before + text)
    } else if !text.isEmpty {
      parts.append(.plain(text))
    }
  }
}

extension LogMessage: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) {
    self.init(parts: [.plain(value)], hasForeignText: false)
  }

  package init(stringInterpolation: Interpolation) {
    self.init(parts: stringInterpolation.parts, hasForeignText: stringInterpolation.hasForeignText)
  }

  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []
    fileprivate var hasForeignText = false

    package init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    package mutating func appendLiteral(_ literal: String) {
      parts.append(.plain(literal))
    }

    mutating func appendForeign(_ text: String) {
      parts.append(.plain(text))
      hasForeignText = true
    }

    mutating func appendPersonal(_ value: String, label: String) {
      parts.append(.personal(value, label: label))
    }
  }
}

extension LogMessage.Interpolation {
  package mutating func appendInterpolation(_ number: some BinaryInteger) { appendLiteral(String(number)) }
  package mutating func appendInterpolation(_ number: Double) { appendLiteral(number.description) }
  package mutating func appendInterpolation(_ flag: Bool) { appendLiteral(flag ? "true" : "false") }
  package mutating func appendInterpolation(_ text: StaticString) { appendLiteral(text.description) }
  package mutating func appendInterpolation(_ time: Timestamp) { appendLiteral(time.description) }
  package mutating func appendInterpolation(_ value: some SDKEnum) { appendLiteral(value.rawValue) }

  /// In milliseconds.
  package mutating func appendInterpolation(_ duration: Duration) {
    let microseconds = duration / .microseconds(1)
    appendLiteral("\(Int(microseconds) / 1000).\(Int(microseconds) / 100 % 10) ms")
  }

  /// Text that names no person, such as the name of a setting or of a method.
  package mutating func appendInterpolation(public text: String) { appendForeign(text) }

  /// Text that may reveal who the user is. It appears in clear only in verbose lines, and otherwise as a pseudonym such
  /// as `<user:3fa1c2d4>`.
  package mutating func appendInterpolation(personal value: String, as label: StaticString = "user") {
    appendPersonal(value, label: label.description)
  }

  package mutating func appendInterpolation(personal value: String?, as label: StaticString = "user") {
    guard let value else { return appendLiteral("nobody") }
    appendPersonal(value, label: label.description)
  }

  package mutating func appendInterpolation(personal account: AccountReference?) {
    appendInterpolation(personal: account?.text)
  }

  /// Shows the object id if it is known.
  package mutating func appendInterpolation(personal account: Account) {
    appendInterpolation(personal: account.accountId ?? account.identity)
  }
}

/// The bytes of a line. The time and the level come first, at fixed offsets, so that a search does not have to parse.
enum LogLine {
  static let beforeTime: StaticString = "{\"time\":\""
  static let beforeLevel: StaticString = "\",\"level\":\""
  static let beforeCategory: StaticString = "\",\"category\":\""
  static let beforeMessage: StaticString = ",\"message\":\""
  static let end: StaticString = "\"}"

  static let timeOffset = beforeTime.utf8CodeUnitCount
  static let timeLength = 24
  static let levelOffset = timeOffset + timeLength + beforeLevel.utf8CodeUnitCount

  /// A longer message is cut, so that a single write can hold the line: at most six times this limit plus two hundred
  /// bytes.
  static let messageLimit = 4096

  /// Includes the line feed.
  static func bytes(of entry: LogEntry) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("time", entry.time)
    writer.member("level", entry.level)
    writer.member("category", entry.category)
    // Before the message, so that all lines end alike.
    if let cause = entry.cause { writer.member("cause", cause) }
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
