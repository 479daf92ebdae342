// Model has the types that both sides of the wire share, and that all rules are about: accounts, statuses and
// enumerations of the Intune App SDK under their names there, settings of the app, errors, and texts for users.
//
// An `AccountReference` is how a caller names an account, by object id or by user principal name; an `Account` is
// what is known about it. "No user" is not the absence of an account.
//
// `ErrorCode` lists every error once: number, name, meaning and way out. `MAMError` is one of them with its place.
// `Message` and Messages/Languages have what a user reads, in the languages of the SDK.
//
// Nothing here reads a file, a clock or a policy.

import JSON

/// An account in a result. An unknown member is `nil`. For "no user", both members are empty.
package struct Account: Hashable, Sendable {
  /// The Entra object id, in lower case.
  package var accountId: String?
  /// The user principal name, as the policy source writes it.
  package var identity: String?

  package init(accountId: String?, identity: String?) {
    self.accountId = accountId
    self.identity = identity
  }

  package static let noUser = Account(accountId: "", identity: "")
}

extension Account: Record {
  package static let fields = Fields(
    Self.init(accountId:identity:),
    Field("accountId", \.accountId, "The Entra object id; null if unknown, \"\" for no user."),
    Field("identity", \.identity, "The user principal name; null if unknown, \"\" for no user."))
}

extension Account {
  /// The name that calls use for the account: the object id or, until that is known, the user principal name; `nil` if
  /// neither is known.
  package var reference: AccountReference? { (accountId ?? identity).map { AccountReference($0) } }
}

/// The state of an account, from its registration to its end.
///
/// An account that was enrolled keeps its last good policy while it is retrying, offline or blocked.
package enum AccountLife: String, CaseIterable, Hashable, Sendable, NamedValue {
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
package struct AllowedAccounts: Hashable, Sendable {
  /// `nil` if every account is allowed.
  package var allowedAccounts: [Account]?

  package init(allowedAccounts: [Account]?) {
    self.allowedAccounts = allowedAccounts
  }
}

extension AllowedAccounts: Record {
  package static let fields = Fields(
    Self.init(allowedAccounts:),
    Field("allowedAccounts", \.allowedAccounts, "The accounts; null if every account is allowed."))
}

/// The status of a user, apart from policy (IntuneMAMUserStatus).
package struct UserStatus: Hashable, Sendable {
  package var clockStatus: ClockStatus

  package init(clockStatus: ClockStatus) {
    self.clockStatus = clockStatus
  }
}

extension UserStatus: Record {
  package static let fields = Fields(
    Self.init(clockStatus:),
    Field(
      "clockStatus", \.clockStatus,
      "Whether the user is at work; notConfigured if no policy uses it, stale after an hour."))
}

/// Whether a user is at work, according to the tenant's time clock.
package enum ClockStatus: String, SDKEnum {
  case notConfigured, unknown, clockedIn, clockedOut, clockedInStale, clockedOutStale
  package static let sdkName = "IntuneMAMClockStatus"
  package static let sdkValues = [0, 1, 2, 3, 4, 5]
}

extension ClockStatus: SDKEnumValue {}
