import Model

/// The apps that data may be shared with, and whether the data must be protected first.
package struct ShareChoice: Hashable, Sendable {
  package let targets: [ShareTarget]
  package let encrypts: Bool
}

extension PolicyQuestions {
  /// Which of these apps the user may share this account's data with. `isMDM` says whether the device is managed for the
  /// account.
  package func shareTargets(
    _ targets: [ShareTarget], isMDM: Bool, in accounts: some AccountPolicies
  ) -> Reasoned<ShareChoice> {
    let decisions = targets.map { ($0, mayChoose($0, in: accounts)) }
    let encryption = encryption(isMDM: isMDM)
    let choice = ShareChoice(targets: decisions.filter(\.1.value).map(\.0), encrypts: encryption.value)
    return Reasoned(
      choice, because: decisions.map { $0.1.reason(for: $0.0.id) } + [encryption.reason(for: "encrypt")])
  }

  private func mayChoose(_ target: ShareTarget, in accounts: some AccountPolicies) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.mayShare) }
    guard let policy else { return Decision(true, .unmanaged) }
    if policy.confines(policy.send) {
      let isInside = target.managed && target.account.map { isOwn($0, in: accounts) } ?? false
      return Decision(isInside, isInside ? .withinOrganization : .outsideOrganization, policy.send.setting)
    }
    let decision = policy.mayChoose(target)
    // What another app accepts for this account is that app's policy, which this app does not know.
    guard decision.value, decision.rule == .appIsManaged, let other = target.account, !isOwn(other, in: accounts) else {
      return decision
    }
    let receiver = PolicyQuestions(policy: accounts.policy(of: other), account: other)
    guard receiver.policy != nil, !receiver.canReceive(from: account, in: accounts).value else { return decision }
    return Decision(false, .receiverBlocks, .allowedInboundDataTransferSources, by: .receiver, other)
  }

  private func isOwn(_ other: AccountReference, in accounts: some AccountPolicies) -> Bool {
    account.map { accounts.areEqual($0, other) } ?? false
  }

  private func encryption(isMDM: Bool) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.encryptsSharedData) }
    guard let policy else { return Decision(false, .unmanaged) }
    if policy.confines(policy.send) { return Decision(false, .targetsAreFiltered, policy.send.setting) }
    if let general = policy.send.general { return general.map { !$0 } }
    if policy.effective.platform == .android { return Decision(false, .targetsAreFiltered, policy.send.setting) }
    guard policy.leavesSharingToSystem, isMDM else { return Decision(true, .managedAppsOnly, policy.send.setting) }
    return Decision(false, .deviceManagesSharing, .disableProtectionOfManagedOutboundOpenInData)
  }
}

extension CompiledPolicy {
  /// iOS shows all apps unless the policy filters them, because an unmanaged app gets only encrypted data. Android does not
  /// encrypt shared data, so it shows only apps that may have the data.
  fileprivate func mayChoose(_ target: ShareTarget) -> Decision<Bool> {
    let isAndroid = effective.platform == .android
    if isAndroid, ActionRules.alwaysExempt.contains(target.id) { return Decision(true, .alwaysExempt) }
    if let general = send.general { return general.leaving(isAndroid ? .exemptions : .sharing) }
    if isAndroid { return exemption(ofPackage: target.id) ?? send.forApp(isManaged: target.managed) }
    guard filtersOpenIn, !leavesSharingToSystem else {
      return Decision(true, .targetsNotFiltered, send.setting).leaving(.sharing)
    }
    return .managed(target.managed, .filterOpenInToOnlyManagedApps)
  }
}
