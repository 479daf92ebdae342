import JSON

/// What strict mode does about a call that shows a mistake in the host.
package enum StrictHandling: String, CaseIterable, Hashable, Sendable, NamedValue {
  /// No check is on until a host calls strictMode.enable; a violation then fails the call.
  case off
  /// All checks are on; a violation is logged and sent as an event.
  case report
  /// Like `report`, and the call fails.
  case error

  /// The names as texts list them.
  static let list = "off, report or error"
}

/// A mistake that strict mode finds, by the names of the Android SDK (MAMStrictCheck). Checks about its activities, views
/// and contexts have no meaning here and are left out.
package enum StrictCheck: String, CaseIterable, Hashable, Sendable, NamedValue {
  case authenticationCallbackNotRegistered, identityNoSuchFile, incomingIdentitySwitch, intentIdentityMismatch
  case contentIntentWithoutIdentity, invalidMAMServiceToken, openFromLocationMissingOID, saveToLocationMissingOID
  case registerAccountWrongUser, unregisterAccountWithinAcquireToken, updateTokenWithinAcquireToken, upnIdentityParam
  case deprecatedAPI, unmanagedContextFound, severeEvent

  /// What the host did, as a sentence.
  package var text: String {
    switch self {
    case .authenticationCallbackNotRegistered:
      "An account was registered, but no host answers enrollmentDelegate.getAccessToken or auth.acquireToken."
    case .identityNoSuchFile: "The host protects a file that does not exist."
    case .incomingIdentitySwitch:
      """
      Received content needs a switch of the window's account, but no host answers \
      policyDelegate.identitySwitchRequired.
      """
    case .intentIdentityMismatch: "Content is handed over for another account than the one that owns or shows it."
    case .contentIntentWithoutIdentity:
      "Content of a managed account is handed over, but the call says that it belongs to nobody."
    case .invalidMAMServiceToken: "The token is empty, is not a token, has expired, or is for another resource."
    case .openFromLocationMissingOID:
      "The location belongs to accounts, but locationAccount does not name one by its object id."
    case .saveToLocationMissingOID:
      "The location belongs to accounts, but locationAccount does not name one by its object id."
    case .registerAccountWrongUser: "The account cannot be enrolled, because another user is the user of this app."
    case .unregisterAccountWithinAcquireToken:
      "The host unregisters an account while it is asked for the account's token."
    case .updateTokenWithinAcquireToken: "The host hands in a token while it is asked for the account's token."
    case .upnIdentityParam: "The call names an account by its user principal name instead of its object id."
    case .deprecatedAPI: "The call has no clear meaning in an app with several managed accounts, or uses an old name."
    case .unmanagedContextFound:
      "No account is set for the thread, the window or the process, so no policy applies to the answer."
    case .severeEvent: "The server logged an error."
    }
  }
}

/// A mistake of a host that strict mode found.
package struct StrictViolation: Hashable, Sendable {
  package var check: StrictCheck
  /// The method of the call; `nil` if no call caused it.
  package var method: String?
  /// The account that it is about; `nil` for none.
  package var account: Account?
  /// What the host did, without names, paths or content.
  package var detail: String

  package init(_ check: StrictCheck, in method: String?, about account: Account? = nil, detail: String? = nil) {
    self.init(check: check, method: method, account: account, detail: detail ?? check.text)
  }

  private init(check: StrictCheck, method: String?, account: Account?, detail: String) {
    self.check = check
    self.method = method
    self.account = account
    self.detail = detail
  }
}

extension StrictViolation: Record {
  package static let fields = Fields(
    Self.init(check:method:account:detail:),
    Field("check", \.check, "The check that failed."),
    Field("method", \.method, "The method of the call; null if no call caused the violation."),
    Field("account", \.account, "The account that the violation is about; null for none."),
    Field("detail", \.detail, "What the host did, without names, paths or content."))
}
