import JSON

/// What is known of a user beside policy (IntuneMAMUserStatus).
public struct UserStatus: Hashable, Sendable {
  public var clockStatus: ClockStatus

  public init(clockStatus: ClockStatus) {
    self.clockStatus = clockStatus
  }
}

extension UserStatus: Record {
  package static let schemaName: String? = "UserStatus"
  package static let fields = Fields(
    Self.init(clockStatus:),
    Field(
      "clockStatus", \.clockStatus,
      "Whether the user is at work; notConfigured without a policy that asks, stale when an hour old."))
}
