import Model

extension PolicyQuestions {
  /// May this account receive data of that owner? Nil and "" are nobody's data, which is always unmanaged. The owner,
  /// when another managed account, must let it go.
  package func canReceive(from owner: AccountReference?, in accounts: some AccountPolicies) -> Decision<Bool> {
    let origin = origin(owner, in: accounts)
    return origin.deciding(receiving(origin)) { sender, owner in
      sender.letsGo(toManagedAccount: policy != nil, owner)
    }
  }

  private func receiving(_ origin: DataOrigin) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    let isManaged = origin.policy != nil
    let setting = SettingName.allowedInboundDataTransferSources
    return switch policy.receive {
    case nil: Decision(true, .nothingRestricts)
    case .allApps: Decision(true, .allAppsAllowed, setting)
    case .some(.none): Decision(false, .noAppAllowed, setting)
    case .managedApps where origin.isOwn: Decision(true, .ownData, setting)
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
