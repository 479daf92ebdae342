import Model
import Support

/// Tells the host before an account stops being managed without a wipe: afterwards, its protected data cannot be read.
///
/// Nothing is announced before a wipe, because its data must stay unreadable, or before a test policy ends.
struct ManagementEnd: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let prospects: Prospects

  /// Call this before an account is unenrolled without a wipe.
  func announceUnenrollment(of reference: AccountReference?) async {
    guard hosts.current.awaitsManagementEnd, let account = reference.flatMap(live.state.account) else { return }
    await announce(account)
  }

  /// Call this before the answers of the policy source are stored.
  func announceCheckIns(with inquiry: PolicyInquiry) async {
    guard hosts.current.awaitsManagementEnd else { return }
    let positions = Set(inquiry.asked.map(\.position))
    for account in live.state.accounts
    where positions.contains(account.position) && account.isManaged && !account.isWiping {
      // If the source or the store cannot be read, the check-in will report it, and the policy stays in force.
      guard let prospect = try? prospects.prospect(of: account, with: inquiry), !prospect.isWipe,
        !prospect.state.isManaged
      else { continue }
      await announce(account)
    }
  }

  private func announce(_ account: AccountState) async {
    guard account.isManaged, !account.isWiping else { return }
    await hosts.current.managementWillBeRemoved(of: account.account)
  }
}
