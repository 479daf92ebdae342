import Model
import Policy
import SQLite
import Support

/// Asks for a restart of the app after the first policy of an account.
///
/// The policy is in force at once; the restart is for what the app did before. A restart is due at most once in the
/// life of a process, so nothing about it is stored.
package struct Restarts: Sendable {
  let live: LiveState
  let restart: PendingRestart
  let hosts: CurrentHost

  /// Asks the host to restart if one of the statuses brings the first policy of its account. If the host does not
  /// restart, the event `restartRequired` is stored before this returns, and an alert is on its way.
  func followUp(_ statuses: [EnrollmentStatus], since before: CoreState) async {
    guard let first = statuses.first(where: { $0.bringsFirstPolicy(after: before) }), needsRestart(for: first),
      restart.becomeDue()
    else { return }
    await restart(for: Account(accountId: first.accountId, identity: first.identity))
  }

  /// Whether a first policy requires a restart. It does not if the app has waited for its policy since its start, or if
  /// the management of the device has told the app who its user is.
  private func needsRestart(for status: EnrollmentStatus) -> Bool {
    let settings = live.state.settings
    let waited = settings.bool(.autoEnrollOnLaunch) && settings.bool(.mamPolicyRequired)
    return !waited && live.state.account(of: status)?.appConfig.namesManagedUser != true
  }

  private func restart(for account: Account) async {
    guard await !hosts.current.restartApplication() else {
      return log(.info, "first policy of \(personal: account): the host restarts itself")
    }
    let notice = RestartNotice(account, message: UserAlerts.restartMessage(in: live.language))
    do throws(MAMError) {
      try live.commit { transaction throws(SQLiteError) in try transaction.append(.restartRequired(notice)) }
      log(.info, "first policy of \(personal: account): the app must be restarted")
    } catch {
      // The account is enrolled nevertheless, and the caller must know.
      log(.error, "cannot store the event that a restart is required: \(public: error.message)")
    }
    // Do not wait for the user's choice, because nothing depends on it.
    let alert = HostAlert(UserNotice(.alert(.restartTitle), .alert(.restartMessage)), in: live.language)
    Task(executorPreference: BlockingExecutor.shared) { [host = hosts.current] in _ = await host.showAlert(alert) }
  }

  private func log(_ level: LogLevel, _ message: LogMessage) {
    guard let log = try? live.refresh().log else { return }
    log.write(level, .enrollment, message)
  }
}

extension EnrollmentStatus {
  fileprivate func bringsFirstPolicy(after state: CoreState) -> Bool {
    statusCode == .newPoliciesReceived && state.account(of: self)?.isManaged != true
  }
}

extension CoreState {
  func account(of status: EnrollmentStatus) -> AccountState? {
    (status.accountId ?? status.identity).flatMap { account(AccountReference($0)) }
  }
}
