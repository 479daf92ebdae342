import Glibc
import JSON
import Model

extension Core {
  /// What support looks at, with the newest `logLines` lines of the log. `identities` are those of the connection that
  /// asks. May block.
  package func diagnosticReport(
    version: String, sdkVersion: String, identities: Identities? = nil, logLines: LogLimit = 100
  ) throws(MAMError) -> DiagnosticReport {
    let information = try diagnosticInformation(version: version, sdkVersion: sdkVersion)
    return DiagnosticReport(
      versions: ["mambridge": version, "Intune App SDK": sdkVersion, "system": systemVersion],
      information: information, sourceError: configuration.tenant.read().failureText, launch: state.launchReport(nil),
      identities: diagnosticIdentities(identities),
      accounts: try information.accounts.map { status throws(MAMError) in try diagnosticAccount(status) },
      settings: state.settings.shownReport, device: state.device,
      log: try refresh().log.query(LogQuery(limit: logLines)))
  }

  private func diagnosticAccount(_ status: AccountStatus) throws(MAMError) -> DiagnosticAccount {
    let reference = Account(accountId: status.accountId, identity: status.identity).reference
    return DiagnosticAccount(
      status: status, policy: try? state.report(about: reference),
      appConfig: state.appConfig(of: reference).fullData, clockStatus: userStatus(of: reference)?.clockStatus,
      launchRules: try launchFindings(of: reference).map { $0.report(in: language) })
  }

  private func launchFindings(of reference: AccountReference?) throws(MAMError) -> [LaunchFinding] {
    guard let account = reference.flatMap(state.account) else { return [] }
    return try launchFindings(of: account)
  }

  private func diagnosticIdentities(_ identities: Identities?) -> DiagnosticIdentities {
    DiagnosticIdentities(
      primary: state.primaryAccount?.account, effective: state.effectiveAccount?.account,
      process: processIdentity?.text, threads: identities?.threadNames ?? [:], windows: identities?.windowNames ?? [:])
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
