import Model
import Support

/// Tells the host before an account stops being managed without a wipe: afterwards, its protected data cannot be read.
///
/// Nothing is announced before a wipe, because its data must stay unreadable, or before a test policy ends.
struct ManagementEnd: Sendable {
  let core: Core

  /// Call this before an account is unenrolled without a wipe.
  func announceUnenrollment(of reference: AccountReference?) async {
    guard core.host.awaitsManagementEnd, let account = reference.flatMap(core.state.account) else { return }
    await announce(account)
  }

  /// Call this before check-ins of one account, or of all accounts. Reads the policy source, which the check-ins then
  /// read again.
  func announceCheckIns(of reference: AccountReference?, with tokens: TokenGrants) async {
    let state = core.state
    let accounts = state.accounts.filter { account in reference.map { account.isNamed($0, state.directory) } ?? true }
    await announceLosses(among: accounts, with: tokens)
  }

  /// Call this before the check-ins that are due through `end`.
  func announceCheckIns(dueThrough end: Timestamp, with tokens: TokenGrants) async {
    let (state, device) = (core.state, core.state.deviceRecord)
    await announceLosses(among: state.accounts.filter { $0.plan.checkInDue(on: device) <= end }, with: tokens)
  }

  private func announceLosses(among accounts: [AccountState], with tokens: TokenGrants) async {
    guard core.host.awaitsManagementEnd else { return }
    for account in accounts where account.isManaged && !account.isWiping {
      // If the source or the store cannot be read, the check-in will report it, and the policy stays in force.
      guard let prospect = try? core.enrollment.prospect(of: account, with: tokens), !prospect.isWipe,
        !prospect.state.isManaged
      else { continue }
      await announce(account)
    }
  }

  private func announce(_ account: AccountState) async {
    guard account.isManaged, !account.isWiping else { return }
    await core.host.managementWillBeRemoved(of: account.account)
  }
}
