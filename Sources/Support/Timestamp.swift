import FoundationEssentials

/// A moment in milliseconds since 1970-01-01T00:00:00Z; RFC 3339 in UTC on the wire.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Nil for text that is not an RFC 3339 date and time with a zone.
  public init?(_ text: String) {
    let withFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard let date = (try? Date(text, strategy: withFraction)) ?? (try? Date(text, strategy: .iso8601)) else {
      return nil
    }
    guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else { return nil }
    self.milliseconds = milliseconds
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// The moment `milliseconds` later; clamped at the ends of the range.
  public func advanced(by milliseconds: Int64) -> Timestamp {
    let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
    guard overflow else { return Timestamp(milliseconds: sum) }
    return Timestamp(milliseconds: milliseconds < 0 ? .min : .max)
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 with milliseconds, such as `2026-01-31T09:30:00.000Z`.
  public var description: String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
extension Timestamp {
  /// Later than all others.
  package static let distantFuture = Timestamp(milliseconds: .max)
}
