import Model

extension PolicyQuestions {
  /// May the user do this with the account's data? `keyboard` is the package id of the one that is meant, if known.
  package func isActionAllowed(
    _ action: EnforcedAction, keyboard: String? = nil, in accounts: some AccountPolicies
  ) -> Decision<Bool> {
    if action == .thirdPartyKeyboard { return isKeyboardAllowed(keyboard, accounts.managed) }
    guard let policy else { return Decision(true, .unmanaged) }
    if action == .saveAs { return policy.copies }
    if let decision = policy.actions[action] { return decision }
    guard action == .screenCapture, policy.effective.platform == .ios else { return Decision(true, .nothingRestricts) }
    let appConfig = account.map { accounts.standing(of: $0).appConfig } ?? .empty
    return policy.capture(isDetached: appConfig.detachesScreenCapture)
  }

  /// A keyboard types for whoever is shown next, so that one account which blocks it blocks it for all.
  private func isKeyboardAllowed(_ keyboard: String?, _ accounts: [ManagedAccount]) -> Decision<Bool> {
    for account in accounts {
      guard let decision = account.policy.keyboards(keyboard), !decision.value else { continue }
      return account.policy === policy
        ? decision : Decision(false, .blockedForAll, decision.setting, by: .anyAccount, account.reference)
    }
    return policy.map { $0.keyboards(keyboard) ?? Decision(true, .nothingRestricts) } ?? Decision(true, .unmanaged)
  }
}

extension CompiledPolicy {
  /// Nil where nothing is set.
  fileprivate func keyboards(_ keyboard: String?) -> Decision<Bool>? {
    guard let decision = actions[.thirdPartyKeyboard], !decision.value, effective.platform == .android else {
      return actions[.thirdPartyKeyboard]
    }
    guard let keyboard, actions.approvedKeyboards.contains(keyboard) else { return decision }
    return Decision(true, .keyboardApproved, .approvedKeyboards)
  }

  /// Whether copies may be saved at all; where, is another question.
  fileprivate var copies: Decision<Bool> {
    switch send {
    case .allApps: Decision(true, .allAppsAllowed, .allowedOutboundDataTransferDestinations)
    case .some(.none): Decision(false, .noAppAllowed, .allowedOutboundDataTransferDestinations)
    case .managedApps, nil: Decision(!isSavingCopiesBlocked, .settingDecides, .saveAsBlocked)
    }
  }

  /// While the policy has no setting of its own for it.
  fileprivate func capture(isDetached: Bool) -> Decision<Bool> {
    guard let send else { return Decision(true, .nothingRestricts) }
    if send == .allApps { return Decision(true, .allAppsAllowed, .allowedOutboundDataTransferDestinations) }
    if isDetached { return Decision(true, .screenCaptureDetached) }
    return Decision(false, .screenCaptureFollowsSending, .allowedOutboundDataTransferDestinations)
  }
}

extension AppConfig {
  /// Whether screen capture is not to follow where data may be sent.
  fileprivate var detachesScreenCapture: Bool {
    string("com.microsoft.intune.mam.screencapturecontrol", .any)?.trimmedASCII.lowercasedASCII == "disabled"
  }
}
