/// News that the replicas of a service send each other through the database.
enum ServiceNotice: Hashable, Sendable {
  /// Another version of the tenant is served.
  case snapshot
  /// An operation was ordered for a user.
  case operation(user: String)
  /// Wipes were put on hold, or the hold was changed or lifted.
  case hold

  var text: String {
    switch self {
    case .snapshot: "snapshot"
    case .operation(let user): "operation \(user)"
    case .hold: "hold"
    }
  }

  /// `nil` for news that this version does not know.
  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    switch (parts.first, parts.count) {
    case ("snapshot", 1): self = .snapshot
    case ("hold", 1): self = .hold
    case ("operation", 2): self = .operation(user: String(parts[1]))
    default: return nil
    }
  }
}
