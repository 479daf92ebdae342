/// A message for the diagnostics log that knows which of its parts are personal data.
///
/// Text of unknown origin has no plain interpolation: it is either `public:` or `personal:`. Keys, PINs, tokens and
/// protected data are neither; they are not logged.
public struct LogMessage: Sendable {
  enum Part: Equatable, Sendable {
    case plain(String)
    case personal(String, label: String)
  }

  private(set) var parts: [Part] = []
  /// Whether there is text in it that does not stand in our source, so that it has to be searched for identities.
  let hasForeignText: Bool

  /// Plain text of unknown origin.
  init(plain text: String) {
    hasForeignText = true
    append(text)
  }

  /// Both, with a space between.
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

  /// Joined with plain text before it, so that a value to scrub is found across the seam.
  private mutating func append(_ text: String) {
    if case .plain(let before) = parts.last {
      parts[parts.count - 1] = .plain(before + text)
    } else if !text.isEmpty {
      parts.append(.plain(text))
    }
  }
}

extension LogMessage: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self.init(parts: [.plain(value)], hasForeignText: false)
  }

  public init(stringInterpolation: Interpolation) {
    self.init(parts: stringInterpolation.parts, hasForeignText: stringInterpolation.hasForeignText)
  }

  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []
    fileprivate var hasForeignText = false

    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    public mutating func appendLiteral(_ literal: String) {
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
