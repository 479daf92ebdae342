/// How an account and what the app holds of it goes.
extension ModelApp {
  /// What an administrator wants gone of an account, by the newest reading of the source; a single wipe comes
  /// first. What was begun once is not begun again.
  mutating func wipeOrder(for account: ModelAccount) -> ModelAccount.Wipe? {
    let new = tenant.wipes.indices.filter { tenant.wipes[$0] == account.name && !begunWipes.contains($0) }
    begunWipes.formUnion(new)
    if !new.isEmpty { return .once }
    return tenant.users[account.name]?.isBlocked == true ? .block : nil
  }

  mutating func finishWipes() {
    for account in accounts {
      switch account.wipe {
      case .once: wipe(account)
      case .block: wipeAndBlock(account)
      case nil: continue
      }
    }
  }

  mutating func wipe(_ account: ModelAccount) {
    loseData(of: account)
    tell(ModelEvent.unenrollment, account.name, 104)
    accounts.removeAll { $0.name == account.name }
    tellEnd(of: account)
    forget(account.name)
  }

  private mutating func wipeAndBlock(_ account: ModelAccount) {
    loseData(of: account)
    for index in accounts.indices where accounts[index].name == account.name { accounts[index].becomeBlocked(at: now) }
    tellEnd(of: account)
  }

  private mutating func loseData(of account: ModelAccount) {
    for index in data.indices where data[index].owner == account.name { data[index].isLost = true }
    tell("policyManager.wipeDidComplete", account.name)
  }

  mutating func tellEnd(of account: ModelAccount) {
    if account.isManaged {
      tell("policyManager.policyDidChange", account.name)
      tell("policyManager.managementRemoved", account.name)
    }
    if !account.configuration.isEmpty { tell("appConfig.didChange", account.name) }
  }
}
