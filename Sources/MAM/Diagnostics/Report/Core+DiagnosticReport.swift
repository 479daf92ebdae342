import Glibc
import JSON
import Model
import Policy

extension Core {
  /// What support looks at, with the newest `logLines` lines of the log. `identities` are those of the connection that
  /// asks. May block.
  package func diagnosticReport(
    version: String, sdkVersion: String, identities: Identities? = nil, logLines: LogLimit = 100
  ) throws(MAMError) -> DiagnosticReport {
    let information = try diagnosticInformation(version: version, sdkVersion: sdkVersion)
    let standings = try launchStandings()
    let report = DiagnosticReport(
      versions: ["mambridge": version, "Intune App SDK": sdkVersion, "system": systemVersion],
      information: information, sourceError: configuration.tenant.read().failureText, launch: launchReport(standings),
      identities: diagnosticIdentities(identities),
      accounts: information.accounts.map { status in diagnosticAccount(status, standings) },
      settings: state.settings.shownReport, device: state.device,
      log: try refresh().log.query(LogQuery(limit: logLines)))
    return report.hiding(try refresh().log.valuesToScrub)
  }

  private func diagnosticAccount(_ status: AccountStatus, _ standings: [LaunchStanding]) -> DiagnosticAccount {
    let reference = Account(accountId: status.accountId, identity: status.identity).reference
    let standing = standings.first { standing in
      reference.map { standing.account.isNamed($0, state.directory) } ?? false
    }
    return DiagnosticAccount(
      status: status, policy: try? state.report(about: reference),
      appConfig: state.appConfig(of: reference).fullData, clockStatus: userStatus(of: reference)?.clockStatus,
      launchRules: standing?.end.findings.map { $0.report(in: language) } ?? [])
  }

  private struct LaunchStanding {
    let account: AccountState
    let end: LaunchEnd
  }

  private func launchStandings() throws(MAMError) -> [LaunchStanding] {
    var standings: [LaunchStanding] = []
    for account in state.managedAccounts {
      if let end = try launchStanding(of: account) { standings.append(LaunchStanding(account: account, end: end)) }
    }
    return standings
  }

  /// What the settings ask for, and the worst verdict of any account.
  private func launchReport(_ standings: [LaunchStanding]) -> LaunchReport {
    var report = state.launchReport(nil)
    for standing in standings {
      let name = standing.account.account.identity ?? standing.account.account.accountId ?? "unknown"
      report.verdict = max(report.verdict, LaunchReport.Verdict(standing.end.verdict))
      report.reasons += standing.end.reasons.map { reason in
        LaunchReport.Reason(setting: reason.setting, text: "\(name): \(reason.text)")
      }
    }
    return report
  }

  private func diagnosticIdentities(_ identities: Identities?) -> DiagnosticIdentities {
    DiagnosticIdentities(
      primary: state.primaryAccount?.account, effective: state.effectiveAccount?.account,
      process: processIdentity?.text, threads: identities?.threadNames ?? [:], windows: identities?.windowNames ?? [:])
  }
}

extension DiagnosticReport {
  /// Without the values of these keys in app configuration and in the text that quotes a file.
  fileprivate func hiding(_ values: NamedValues) -> DiagnosticReport {
    guard !values.isEmpty else { return self }
    var report = self
    report.sourceError = sourceError.map { values.hidden(in: $0) }
    for index in accounts.indices {
      report.accounts[index].appConfig = accounts[index].appConfig.map { values.hidden(in: $0) }
    }
    return report
  }
}

extension Settings {
  /// As `settings.get`, but for what must not stand where logs are shown.
  fileprivate var shownReport: [String: SettingReport] {
    var report = report(nil)
    let key = SettingKey.valuesToScrubFromLogging
    if !stringList(key).isEmpty { report[key.name]?.value = ["***"] }
    return report
  }
}

/// Such as `Linux 6.1.0 x86_64`; nothing that names the machine.
private var systemVersion: String {
  var name = utsname()
  guard uname(&name) == 0 else { return "unknown" }
  return [text(of: name.sysname), text(of: name.release), text(of: name.machine)].joined(separator: " ")
}

private func text<Field>(of field: Field) -> String {
  withUnsafeBytes(of: field) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
