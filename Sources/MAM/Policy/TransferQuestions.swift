import Model

extension PolicyQuestions {
  /// May this account receive data of that owner? Nil and "" are nobody's data, which is always unmanaged. The owner,
  /// when another managed account, must let it go.
  package func canReceive(from owner: AccountReference?, in accounts: some AccountPolicies) -> Decision<Bool> {
    let owner = owner.flatMap { $0.kind == .noUser ? nil : $0 }
    let isOwn = owner.map { owner in account.map { accounts.areEqual($0, owner) } ?? false } ?? false
    let sender = owner.flatMap(accounts.policy)
    let own = receiving(isOwn: isOwn, isManaged: sender != nil)
    guard own.value, !isOwn, let owner, let sender else { return own }
    return sender.letsGo(toManagedAccount: policy != nil, owner)
  }

  private func receiving(isOwn: Bool, isManaged: Bool) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    let setting = SettingName.allowedInboundDataTransferSources
    return switch policy.receive {
    case nil: Decision(true, .nothingRestricts)
    case .allApps: Decision(true, .allAppsAllowed, setting)
    case .some(.none): Decision(false, .noAppAllowed, setting)
    case .managedApps where isOwn: Decision(true, .ownData, setting)
    case .managedApps: Decision(isManaged, isManaged ? .managedData : .unmanagedData, setting)
    }
  }
}

extension CompiledPolicy {
  /// Whether data of this policy's account may go to another account.
  fileprivate func letsGo(toManagedAccount isManaged: Bool, _ owner: AccountReference) -> Decision<Bool> {
    let mayGo =
      switch send {
      case nil, .allApps: true
      case .managedApps: isManaged
      case .some(.none): false
      }
    return Decision(
      mayGo, mayGo ? .dataOwnerAllows : .dataOwnerBlocks, .allowedOutboundDataTransferDestinations, by: .dataOwner,
      owner)
  }
}
