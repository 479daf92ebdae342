import Model
import Support

/// What the tenant's time clock last said of a user.
struct ClockEntry: Hashable, Sendable {
  var status: ClockStatus
  /// Nil when the source does not tell: such an entry never grows stale.
  var updated: Timestamp?
}
