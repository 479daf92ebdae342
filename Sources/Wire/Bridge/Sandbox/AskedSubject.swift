import MAM
import Model
import Policy

/// The account that a question is about, as it was when the question was asked.
struct AskedSubject: Sendable {
  /// As the state knows it, or else as the question names it; `nil` if the question names none, and none is enrolled.
  private let name: String?
  private let account: AccountState?

  /// `nil` for a question about no particular account, about several, or about no user. So is one that names no account
  /// in an app that keeps identities apart.
  init?(_ identity: EffectiveIdentity?, in state: CoreState) {
    guard let identity, identity.view == nil, identity.account?.kind != .noUser else { return nil }
    account = identity.account.map { state.account($0) } ?? state.effectiveAccount
    name = account?.account.identity ?? identity.account?.text
    guard name != nil || state.managedAccounts.isEmpty else { return nil }
  }

  var isManaged: Bool { account?.isManaged ?? false }

  /// Whether the account is allowed everything only because something went wrong: it is not registered, or its user cannot
  /// enroll. A user for whom there is no policy is none of these.
  var lacksPolicy: Bool {
    guard !isManaged else { return false }
    guard let status = account?.status else { return true }
    return !(status.didSucceed || status.statusCode == .licensedNotTargeted)
  }

  /// Why no policy applies; `nil` if one does.
  var standing: String? {
    guard !isManaged else { return nil }
    guard let name else { return "No policy applies: the question names no account, and none is enrolled." }
    guard let account else { return "No policy applies: \(name) is not registered." }
    let state = account.isEnrolled ? "enrolled without a policy" : "registered but not enrolled"
    let end = account.status.map { "; its last check-in ended with \($0.statusCode.rawValue)" } ?? ""
    return "No policy applies: \(name) is \(state)\(end)."
  }

  /// The name, if the state does not know it.
  var unknownName: String? { account == nil ? name : nil }

  /// Says that the policy does not set this setting; `nil` if it does, or if there is none.
  func lack(of setting: String) -> String? {
    guard let policy = account?.policy?.effective, let known = SettingName(rawValue: setting),
      policy.settings[known] == nil
    else { return nil }
    return "The policy of \(name ?? "the account") does not set \(setting)."
  }
}
