import JSON

/// An account in a result. An unknown half is nil; "no user" is both empty.
public struct Account: Hashable, Sendable {
  /// The Entra object id, lower case.
  public var accountId: String?
  /// The user principal name, as the policy source writes it.
  public var identity: String?

  public init(accountId: String?, identity: String?) {
    self.accountId = accountId
    self.identity = identity
  }

  public static let noUser = Account(accountId: "", identity: "")
}

extension Account: Record {
  package static let schemaName: String? = "Account"
  package static let fields = Fields(
    Self.init(accountId:identity:),
    Field("accountId", \.accountId, "The Entra object id; null when it is not known, \"\" for no user."),
    Field("identity", \.identity, "The user principal name; null when it is not known, \"\" for no user."))
}

extension Account {
  /// The name by which it is asked about: the object id, before that is known the user principal name; nil where
  /// neither is.
  package var reference: AccountReference? { (accountId ?? identity).map { AccountReference($0) } }
}

/// Where an account stands between its registration and its end.
///
/// An account that was enrolled keeps its last good policy while it is retrying, offline or blocked.
public enum AccountLife: String, CaseIterable, Hashable, Sendable, NamedValue {
  case registered, enrolling, enrolled, retrying, offline, blocked, wiping, unenrolled

  package var text: String {
    switch self {
    case .registered: "the app knows the account, but nothing is assigned to it"
    case .enrolling: "an attempt to enroll the account is in progress"
    case .enrolled: "the policy source answered the last check-in"
    case .retrying: "the policy source failed at the last check-in"
    case .offline: "there was no network at the last check-in"
    case .blocked: "the policy source refuses the account"
    case .wiping: "the account's data is being removed from the app"
    case .unenrolled: "the app does not know the account"
    }
  }
}

/// The accounts that the administrator allows in the app.
public struct AllowedAccounts: Hashable, Sendable {
  /// Nil when every account is allowed.
  public var allowedAccounts: [Account]?

  public init(allowedAccounts: [Account]?) {
    self.allowedAccounts = allowedAccounts
  }
}

extension AllowedAccounts: Record {
  package static let schemaName: String? = "AllowedAccounts"
  package static let fields = Fields(
    Self.init(allowedAccounts:),
    Field("allowedAccounts", \.allowedAccounts, "The accounts; null when every account is allowed."))
}

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

/// Whether a user is at work, as the tenant's time clock says.
public enum ClockStatus: String, SDKEnum {
  case notConfigured, unknown, clockedIn, clockedOut, clockedInStale, clockedOutStale
  public static let sdkName = "IntuneMAMClockStatus"
  public static let sdkValues = [0, 1, 2, 3, 4, 5]
}

extension ClockStatus: SDKEnumValue {}
