/// A moment in milliseconds since 1970-01-01T00:00:00Z; RFC 3339 in UTC on the wire.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) {
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

extension Timestamp {
  /// Later than all others.
  package static let distantFuture = Timestamp(milliseconds: .max)
}
