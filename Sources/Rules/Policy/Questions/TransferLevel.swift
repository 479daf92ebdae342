import Model

/// The apps that a policy allows data transfer with: all, managed apps, or none.
///
/// Every question that depends on the level asks here, so that a level always has the same answer and reason.
struct TransferLevel: Sendable {
  /// Nil if no policy sets it, which never restricts.
  let apps: DataTransferLevel?
  let setting: SettingName

  init(_ apps: DataTransferLevel?, _ setting: SettingName) {
    self.apps = apps
    self.setting = setting
  }

  /// The decision that is the same for every app; nil if it depends on whether the app is managed.
  var general: Decision<Bool>? {
    switch apps {
    case nil: Decision(true, .nothingRestricts)
    case .allApps: Decision(true, .allAppsAllowed, setting)
    case .some(.none), .selectedApps: Decision(false, .noAppAllowed, setting)
    case .managedApps: nil
    }
  }

  /// The same as `general` if a policy sets the level; nil if no policy does and other settings decide.
  var generalIfSet: Decision<Bool>? { apps == nil ? nil : general }

  /// Whether every app may have the data, managed or not.
  var forAllApps: Decision<Bool> {
    apps == nil ? Decision(true, .nothingRestricts) : Decision(apps == .allApps, .settingDecides, setting)
  }

  var admitsNoApp: Bool { apps == .some(.none) || apps == .selectedApps }

  /// `rule` is the reason why an app that is not known to be managed may not have the data.
  func forApp(isManaged: Bool, otherwise rule: PolicyRule = .appNotManaged) -> Decision<Bool> {
    general ?? Decision(isManaged, isManaged ? .appIsManaged : rule, setting)
  }

  func forData(of origin: DataOrigin) -> Decision<Bool> {
    if let general { return general }
    if origin.isOwn { return Decision(true, .ownData, setting) }
    let isManaged = origin.policy != nil
    return Decision(isManaged, isManaged ? .managedData : .unmanagedData, setting)
  }

  /// Whether data of the owner, which is this policy's account, may go to another account.
  func forAccount(isManaged: Bool, of owner: AccountReference) -> Decision<Bool> {
    let mayGo = general?.value ?? isManaged
    return Decision(mayGo, mayGo ? .dataOwnerAllows : .dataOwnerBlocks, setting, by: .dataOwner, owner)
  }
}

/// Where data comes from, seen from the account that would receive it.
struct DataOrigin {
  /// Nil if the data has no owner.
  let owner: AccountReference?
  let isOwn: Bool
  /// The owner's policy; nil if the owner is not managed.
  let policy: CompiledPolicy?
}

extension PolicyQuestions {
  /// If `owner` is nil or "", the data has no owner and is always unmanaged.
  func origin(_ owner: AccountReference?, in accounts: some AccountPolicies) -> DataOrigin {
    guard let owner, owner.kind != .noUser else { return DataOrigin(owner: nil, isOwn: false, policy: nil) }
    let isOwn = account.map { accounts.areEqual($0, owner) } ?? false
    return DataOrigin(owner: owner, isOwn: isOwn, policy: accounts.policy(of: owner))
  }

  /// Whether this account may receive data of that owner. Nil and "" are data without an owner, which is always unmanaged.
  /// If the owner is another managed account, its policy must allow this too.
  package func canReceive(from owner: AccountReference?, in accounts: some AccountPolicies) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.canReceive) }
    let origin = origin(owner, in: accounts)
    let own = receiving(origin)
    guard own.value, !origin.isOwn, let owner = origin.owner, let sender = origin.policy else { return own }
    return sender.send.forAccount(isManaged: policy != nil, of: owner)
  }

  private func receiving(_ origin: DataOrigin) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    if policy.confines(policy.receive), origin.isOwn {
      return Decision(true, .withinOrganization, policy.receive.setting)
    }
    return policy.receive.forData(of: origin)
  }
}
