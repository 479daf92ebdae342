import Model

/// With which apps a policy lets data be exchanged: all, managed ones, or none.
///
/// Every question that depends on it asks here, so that one level has one answer and one reason.
struct TransferLevel: Sendable {
  /// Nil where no policy sets it, which never restricts.
  let apps: DataTransferLevel?
  let setting: SettingName

  init(_ apps: DataTransferLevel?, _ setting: SettingName) {
    self.apps = apps
    self.setting = setting
  }

  /// What holds for every app alike; nil where it depends on whether the app is a managed one.
  var general: Decision<Bool>? {
    switch apps {
    case nil: Decision(true, .nothingRestricts)
    case .allApps: Decision(true, .allAppsAllowed, setting)
    case .some(.none): Decision(false, .noAppAllowed, setting)
    case .managedApps: nil
    }
  }

  /// The same where a policy sets the level; nil where none does, and other settings decide.
  var generalIfSet: Decision<Bool>? { apps == nil ? nil : general }

  /// Whether every app may have the data, managed or not.
  var forAllApps: Decision<Bool> {
    apps == nil ? Decision(true, .nothingRestricts) : Decision(apps == .allApps, .settingDecides, setting)
  }

  var admitsNoApp: Bool { apps == .some(.none) }

  /// `rule` is why an app that is not known to be managed may not have the data.
  func forApp(isManaged: Bool, otherwise rule: PolicyRule = .appNotManaged) -> Decision<Bool> {
    general ?? Decision(isManaged, isManaged ? .appIsManaged : rule, setting)
  }

  func forData(of origin: DataOrigin) -> Decision<Bool> {
    if let general { return general }
    if origin.isOwn { return Decision(true, .ownData, setting) }
    let isManaged = origin.policy != nil
    return Decision(isManaged, isManaged ? .managedData : .unmanagedData, setting)
  }

  /// Whether data of this policy's account, the owner, may go to another account.
  func forAccount(isManaged: Bool, of owner: AccountReference) -> Decision<Bool> {
    let mayGo = general?.value ?? isManaged
    return Decision(mayGo, mayGo ? .dataOwnerAllows : .dataOwnerBlocks, setting, by: .dataOwner, owner)
  }
}

/// Where data comes from, seen from the account that is to have it.
struct DataOrigin {
  /// Nil for nobody.
  let owner: AccountReference?
  let isOwn: Bool
  /// The owner's policy; nil where the owner is not managed.
  let policy: CompiledPolicy?
}

extension PolicyQuestions {
  /// `owner` nil and "" are nobody, who is always unmanaged.
  func origin(_ owner: AccountReference?, in accounts: some AccountPolicies) -> DataOrigin {
    guard let owner, owner.kind != .noUser else { return DataOrigin(owner: nil, isOwn: false, policy: nil) }
    let isOwn = account.map { accounts.areEqual($0, owner) } ?? false
    return DataOrigin(owner: owner, isOwn: isOwn, policy: accounts.policy(of: owner))
  }

  /// May this account receive data of that owner? Nil and "" are nobody's data, which is always unmanaged. The owner,
  /// when another managed account, must let it go.
  package func canReceive(from owner: AccountReference?, in accounts: some AccountPolicies) -> Decision<Bool> {
    let origin = origin(owner, in: accounts)
    let own = receiving(origin)
    guard own.value, !origin.isOwn, let owner = origin.owner, let sender = origin.policy else { return own }
    return sender.send.forAccount(isManaged: policy != nil, of: owner)
  }

  private func receiving(_ origin: DataOrigin) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    return policy.receive.forData(of: origin)
  }
}
