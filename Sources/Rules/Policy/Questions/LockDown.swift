import Model

/// The answers for a view that shows several accounts, at least one of them managed (IntuneMAMPolicyManager
/// policyForAccountIds:).
///
/// This table is the whole lock-down policy. It does not depend on any account's policy, so no administrator's value
/// loosens it. Only the PIN has no row: an app skips its own PIN if the policy requires one, so `true` for accounts
/// without a PIN would leave the data without any.
package enum LockDown {
  static let isContactSyncAllowed = false
  static let isWidgetContentSyncAllowed = false
  static let isSpotlightIndexingAllowed = false
  static let areIntentsAllowed = false
  static let isAppSharingAllowed = false
  static let isManagedBrowserRequired = true
  static let isFileEncryptionRequired = true
  static let shouldFileProviderEncryptFiles = true
  static let notificationPolicy = NotificationPolicy.block

  /// For every location, whoever owns it.
  static let isSaveToAllowed = false
  /// For every location, whoever owns it.
  static let isOpenFromAllowed = false
  static let isURLAllowed = false
  static let isUniversalLinkAllowed = false
  static let isDocumentPickerAllowed = false
  /// For data of every owner, also of an account in the view.
  static let canReceive = false

  /// For content of every length.
  static let copying = ClipboardForm.blocked
  static let isPastingAllowed = false
  /// For every action, also capturing the screen.
  static let isActionAllowed = false
  static let mayShare = false
  static let encryptsSharedData = true
  /// For a web view without an account, beside the accounts of the view.
  static let isWebViewInputAllowed = false
  /// The schemes to which web links are rewritten: those of Microsoft Edge, the managed browser. All other addresses
  /// are blocked.
  static let browserSchemes = ["http": "microsoft-edge-http", "https": "microsoft-edge-https"]
}

extension Decision {
  /// An answer of the lock-down policy.
  static func lockedDown(_ value: Value) -> Decision { Decision(value, .lockDown) }
}

/// What a window, or another view, shows instead of a single account.
package struct SharedView: Hashable, Sendable {
  /// In the order in which the host named them. "No user" counts as an account without a policy.
  package let accounts: [AccountReference]
  /// Whether the view is locked down whatever it shows, because the host did not hide an account that is blocked.
  package let isLocked: Bool

  package init(_ accounts: [AccountReference], isLocked: Bool = false) {
    self.accounts = accounts
    self.isLocked = isLocked
  }
}

/// A view that is locked down, with the one question that its accounts decide.
package struct LockedView: Sendable {
  package let view: SharedView
  /// The account whose policy requires a PIN; nil if none does. An account whose PIN is always required comes first.
  private let pinAccount: AccountReference?
  private let isPINDroppedWithDevicePIN: Bool

  /// Nil if the view has a single account, under whatever names, or if no account is managed.
  fileprivate init?(_ view: SharedView, in accounts: some AccountPolicies) {
    let hasSeveral = view.accounts.first.map { first in
      view.accounts.dropFirst().contains { !accounts.areEqual(first, $0) }
    }
    guard hasSeveral == true || view.isLocked else { return nil }
    var isManaged = view.isLocked
    var dropped: AccountReference?
    var required: AccountReference?
    for account in view.accounts {
      guard let policy = accounts.policy(of: account) else { continue }
      isManaged = true
      guard policy.isPINRequired, required == nil else { continue }
      if policy.isPINDroppedWithDevicePIN { dropped = dropped ?? account } else { required = account }
    }
    guard isManaged else { return nil }
    self.view = view
    pinAccount = required ?? dropped
    isPINDroppedWithDevicePIN = required == nil
  }

  func isPINRequired(_ devicePIN: DevicePIN) -> Decision<Bool> {
    guard let pinAccount else { return Decision(false, .noAccountRequiresPIN) }
    let decision =
      isPINDroppedWithDevicePIN ? devicePIN.replacement : Decision(true, .settingDecides, .pinRequired)
    return Decision(decision.value, decision.rule, decision.setting, by: .anyAccount, pinAccount)
  }
}

extension PolicyQuestions {
  /// The questions about a view: locked down if it shows several accounts and one is managed, unmanaged if none is, and
  /// those of the account if all names mean one account. An empty view shows no user.
  package init(of view: SharedView, in accounts: some AccountPolicies) {
    if let locked = LockedView(view, in: accounts) {
      self.init(lockedDown: locked)
    } else {
      let account = view.accounts.first ?? .noUser
      // If the names mean several accounts, none of them has a policy.
      self.init(policy: accounts.policy(of: account), account: account)
    }
  }
}
