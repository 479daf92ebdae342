import Model
import Policy
import SQLite

/// The restart of the application that the first policy of an account asks for.
///
/// The policy is in force at once; the restart is for what the application did before. It is due once in the life of a
/// process, which is why nothing of it is stored.
package struct Restarts: Sendable {
  let core: Core

  /// When one of the statuses is the first policy of its account, the host is asked to restart. When it does not, the
  /// event `restartRequired` is there before this returns, and an alert is on its way.
  func followUp(_ statuses: [EnrollmentStatus], since before: CoreState) async {
    guard let first = statuses.first(where: { $0.bringsFirstPolicy(after: before) }), needsRestart(for: first),
      core.restart.becomeDue()
    else { return }
    await restart(for: Account(accountId: first.accountId, identity: first.identity))
  }

  /// Not where the application has waited for its policy from the start, nor where the management of the device has told
  /// it who its user is.
  private func needsRestart(for status: EnrollmentStatus) -> Bool {
    let settings = core.state.settings
    let waited = settings.bool(.autoEnrollOnLaunch) && settings.bool(.mamPolicyRequired)
    return !waited && core.state.account(of: status)?.appConfig.namesManagedUser != true
  }

  private func restart(for account: Account) async {
    guard await !core.host.restartApplication() else {
      return log(.info, "first policy of \(personal: account): the host restarts itself")
    }
    let notice = RestartNotice(account, message: UserAlerts.restartMessage(in: core.language))
    do throws(MAMError) {
      try core.commit { transaction throws(SQLiteError) in try transaction.append(.restartRequired(notice)) }
      log(.info, "first policy of \(personal: account): the application must be restarted")
    } catch {
      // The account is enrolled all the same, and the caller must learn that.
      log(.error, "the event that a restart is due could not be stored: \(public: error.message)")
    }
    // Nothing depends on what the user chooses, so nobody waits for it.
    let alert = HostAlert(UserNotice(.alert(.restartTitle), .alert(.restartMessage)), in: core.language)
    Task { [host = core.host] in _ = await host.showAlert(alert) }
  }

  private func log(_ level: LogLevel, _ message: LogMessage) {
    guard let log = try? core.refresh().log else { return }
    log.write(level, .enrollment, message)
  }
}

extension EnrollmentStatus {
  fileprivate func bringsFirstPolicy(after state: CoreState) -> Bool {
    statusCode == .newPoliciesReceived && state.account(of: self)?.isManaged != true
  }
}

extension CoreState {
  fileprivate func account(of status: EnrollmentStatus) -> AccountState? {
    (status.accountId ?? status.identity).flatMap { account(AccountReference($0)) }
  }
}

extension AppConfig {
  /// Whether the management of the device has delivered the keys that name its user.
  fileprivate var namesManagedUser: Bool {
    sources.filter { $0.policyID == Self.mdmID }.flatMap(\.entries).contains { entry in
      entry.name == "IntuneMAMUPN" || entry.name == "IntuneMAMOID"
    }
  }
}
