import Model
import Policy
import Support

extension Core {
  /// `foregroundSince` as in `AccountUse`.
  func use(
    of account: AccountState, foregroundSince: Timestamp?, at time: Timestamp? = nil
  ) throws(MAMError) -> AccountUse {
    let key = Activity.Key(account.account, of: configuration.stateFolder)
    let last = try key.map { key throws(MAMError) in try refresh().device.activity(of: key) } ?? nil
    return AccountUse(
      last, account.policy?.launch.recheckAfter, foregroundSince: foregroundSince, at: time ?? now)
  }

  func set(_ activity: Activity, of account: AccountState) throws(MAMError) {
    guard let key = Activity.Key(account.account, of: configuration.stateFolder) else { return }
    try refresh().device.set(activity, of: key)
  }

  /// Begins the time after which PIN and credentials are asked for again, of the accounts that were in use.
  package func didLeaveForeground(_ left: LeftForeground) throws(MAMError) {
    try refresh()
    for account in state.managedAccounts {
      let use = try use(of: account, foregroundSince: left.since, at: left.at)
      if let activity = use.ended { try set(activity, of: account) }
    }
  }
}
