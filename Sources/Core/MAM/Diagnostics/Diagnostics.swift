import Glibc
import JSON
import Model
import Policy
import SQLite

/// What a person in support looks at: reports, the page and the export.
package struct Diagnostics: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let source: TenantSource
  let launches: ConditionalLaunches
  let restart: PendingRestart
  let files: Files
  let identity: ProcessIdentity

  /// A full report with the newest `logLines` lines of the log. `identities` and `session` are those of the connection
  /// that asks. May block.
  package func report(
    version: String, sdkVersion: String, identities: Identities? = nil, session: LaunchSession = LaunchSession(),
    logLines: LogLimit = 100
  ) throws(MAMError) -> DiagnosticReport {
    try live.refresh()
    let standings = try launchStandings(session)
    let information = try information(version: version, sdkVersion: sdkVersion, standings)
    let report = DiagnosticReport(
      versions: ["mambridge": version, "Intune App SDK": sdkVersion, "system": systemVersion],
      information: information, sourceError: information.sourceError, launch: information.launch,
      identities: diagnosticIdentities(identities),
      accounts: information.accounts.map { status in diagnosticAccount(status, standings) },
      settings: live.state.settings.shownReport, device: live.state.device,
      log: try live.refresh().log.query(LogQuery(limit: logLines)))
    return report.hiding(try live.refresh().log.valuesToScrub)
  }

  private func diagnosticAccount(_ status: AccountStatus, _ standings: [LaunchStanding]) -> DiagnosticAccount {
    let reference = Account(accountId: status.accountId, identity: status.identity).reference
    let standing = standing(of: status, among: standings)
    return DiagnosticAccount(
      status: status, policy: try? live.state.report(about: reference),
      appConfig: live.state.appConfig(of: reference).fullData,
      clockStatus: source.userStatus(of: reference)?.clockStatus,
      launchRules: standing?.end.findings.map { $0.report(in: live.language) } ?? [])
  }

  private struct LaunchStanding {
    let account: AccountState
    let end: LaunchEnd
  }

  private func launchStandings(_ session: LaunchSession = LaunchSession()) throws(MAMError) -> [LaunchStanding] {
    var standings: [LaunchStanding] = []
    for account in live.state.managedAccounts {
      guard let end = try launches.forecast(of: account, in: session) else { continue }
      standings.append(LaunchStanding(account: account, end: end))
    }
    return standings
  }

  private func standing(of status: AccountStatus, among standings: [LaunchStanding]) -> LaunchStanding? {
    let reference = Account(accountId: status.accountId, identity: status.identity).reference
    return standings.first { standing in
      reference.map { standing.account.isNamed($0, live.state.directory) } ?? false
    }
  }

  /// What the settings require, and the worst verdict of all accounts.
  private func launchReport(_ standings: [LaunchStanding]) -> LaunchReport {
    var report = live.state.launchReport(nil)
    for standing in standings {
      let name = standing.account.account.identity ?? standing.account.account.accountId ?? "unknown"
      report.verdict = max(report.verdict, standing.end.verdict)
      report.reasons += standing.end.reasons.map { reason in
        LaunchReport.Reason(setting: reason.setting, text: "\(name): \(reason.text)")
      }
      if standing.end.isWiped, !standing.end.finds(.wipe) {
        let text = "\(name): the account's data is being removed from this app, or will be at the next check-in."
        report.reasons.append(LaunchReport.Reason(setting: "conditionalLaunch", text: text))
      }
    }
    return report
  }

  private func diagnosticIdentities(_ identities: Identities?) -> DiagnosticIdentities {
    DiagnosticIdentities(
      primary: live.state.primaryAccount?.account, effective: live.state.effectiveAccount?.account,
      process: identity.reference?.text, threads: identities?.threadNames ?? [:],
      windows: identities?.windowNames ?? [:])
  }
}

extension DiagnosticReport {
  /// Hides the values of these keys in app configuration.
  fileprivate func hiding(_ values: NamedValues) -> DiagnosticReport {
    guard !values.isEmpty else { return self }
    var report = self
    for index in accounts.indices {
      report.accounts[index].appConfig = accounts[index].appConfig.map { values.hidden(in: $0) }
    }
    return report
  }
}

extension Settings {
  /// The result of `settings.get`, without the values that must not be in logs.
  fileprivate var shownReport: [String: SettingReport] {
    var report = report(nil, at: sdkLevel)
    let key = SettingKey.valuesToScrubFromLogging
    if !stringList(key).isEmpty { report[key.name]?.value = ["***"] }
    return report
  }
}

/// For example `Linux 6.1.0 x86_64`; never the name of the machine.
private var systemVersion: String {
  var name = utsname()
  guard uname(&name) == 0 else { return "unknown" }
  return [text(of: name.sysname), text(of: name.release), text(of: name.machine)].joined(separator: " ")
}

private func text<Field>(of field: Field) -> String {
  withUnsafeBytes(of: field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

extension Diagnostics {
  /// A short report on this app. May block.
  package func information(version: String, sdkVersion: String) throws(MAMError) -> DiagnosticInformation {
    try live.refresh()
    return try information(version: version, sdkVersion: sdkVersion, launchStandings())
  }

  private func information(
    version: String, sdkVersion: String, _ standings: [LaunchStanding]
  ) throws(MAMError) -> DiagnosticInformation {
    let services = try live.refresh()
    let values = services.log.valuesToScrub
    let tenant = source.read()
    let accounts = source.accountStatuses(of: nil, in: try? tenant?.get())
    let launch = launchReport(standings)
    return DiagnosticInformation(
      version: version, sdkVersion: sdkVersion, appId: live.appId,
      platform: live.state.device.platform.rawValue, time: live.now,
      clock: live.manualClock == nil ? .system : .manual, language: live.configuration.language.rawValue,
      isManagementEnabled: live.state.isManagementEnabled,
      isRestartPending: restart.isPending, source: source.capabilities.kind,
      accounts: judged(accounts, standings).map { $0.hiding(values) }, settings: live.state.settings.inEffect,
      logPaths: services.log.logPaths, sourceError: tenant?.failureText.map { values.hidden(in: $0) },
      launch: launch, asks: asks(launch, standings),
      lastWipe: try services.store.read { connection throws(SQLiteError) in try connection.lastWipe },
      clockWarning: live.clockWarning, deviceTag: live.configuration.deviceTag ?? (try? services.keys.knownStoreID))
  }

  private func asks(_ launch: LaunchReport, _ standings: [LaunchStanding]) -> Bool {
    launch.verdict > live.state.launchReport(nil).verdict
      && standings.allSatisfy { $0.end.verdict != launch.verdict || $0.end.asks }
  }

  /// What the policy source holds now, and where the registered accounts stand, with their verdicts. May block.
  package func tenantStatus(
    of reference: AccountReference?, _ page: UserPage = UserPage()
  ) throws(MAMError) -> TenantStatus {
    var status = try source.status(of: reference, page)
    status.accounts = judged(status.accounts, try launchStandings())
    return status
  }

  /// Adds the verdicts of the launch checks.
  private func judged(_ accounts: [AccountStatus], _ standings: [LaunchStanding]) -> [AccountStatus] {
    accounts.map { account in
      var account = account
      let end = standing(of: account, among: standings)?.end
      (account.verdict, account.asks) = (end?.verdict, end?.asks ?? false)
      return account
    }
  }
}

extension AccountStatus {
  /// Hides the values of these keys in texts that may quote a file.
  fileprivate func hiding(_ values: NamedValues) -> AccountStatus {
    var status = self
    status.explanation = values.hidden(in: explanation)
    status.lastStatus?.errorString = lastStatus?.errorString.map { values.hidden(in: $0) }
    return status
  }
}

extension Settings {
  /// The settings that are set, without the values that must not be in logs.
  fileprivate var inEffect: JSONObject {
    JSONObject(
      SettingKey.allCases.compactMap { key in
        let value = value(key)
        return value.origin == .defaults || key == .valuesToScrubFromLogging ? nil : (key.name, value.value)
      })
  }
}
