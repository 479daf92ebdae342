import Glibc
import Model
import Support
import Vault

extension Diagnostics {
  /// Packs a report and the log into a new .tar.gz. Replaces the secrets and personal data that it finds. Refuses a
  /// path in the state folder, and a path that exists. Commit point: the archive gets its name.
  package func export(
    _ report: DiagnosticReport, to path: AbsolutePath, with hostLogs: [AbsolutePath] = []
  ) throws(MAMError) -> ExportedDiagnostics {
    let services = try live.refresh()
    try files.checkOutsideState(path)
    let location = try FileLocation(path)
    guard try location.status() == nil else { throw .exportExists(path.text) }
    let scrubber = services.log.exportScrubber(names: tenantNames, keeping: policyIds(in: report))
    let logs = try services.log.openForReading()
    let export = DiagnosticExport(
      report: report, logs: logs, scrubber: scrubber, time: live.now,
      hostLogs: HostLogs(hostLogs, live, files),
      crashes: CrashFolder(in: live.configuration.stateFolder.app).traces)
    do throws(MAMError) {
      return ExportedDiagnostics(path: path, size: try export.write(to: location))
    } catch {
      throw error.fault?.number == EEXIST ? .exportExists(path.text) : error
    }
  }

  /// Asks the host for its own logs. `reference` is the account that has the problem, if there is one.
  package func hostLogs(
    for sessionId: String, about reference: AccountReference?
  ) async throws(MAMError) -> [AbsolutePath] {
    try live.refresh()
    let account = reference.map(live.state.named) ?? Account(accountId: nil, identity: nil)
    return await hosts.current.collectLogs(LogCollection(sessionId: sessionId, account: account))
  }

  /// The names, addresses and ids of the users of the registered accounts, from the policy source. Those of other
  /// people are found by pattern.
  private var tenantNames: [String] {
    guard let tenant = try? source.read()?.get() else { return [] }
    let users = live.state.accounts.compactMap { $0.reference.flatMap(tenant.user) }
    return users.flatMap { [$0.id, $0.userPrincipalName, $0.displayName, $0.mail].compactMap { $0 } }
  }

  private func policyIds(in report: DiagnosticReport) -> Set<String> {
    Set(
      report.accounts.flatMap { account in
        account.status.policies.map(\.id) + (account.policy?.policies.map(\.id) ?? [])
      })
  }
}

extension DiagnosticsLog {
  /// The scrubber for texts that leave the machine. `names` are people's names that the core does not know as
  /// identities.
  func exportScrubber(names: [String], keeping identifiers: Set<String>) -> ExportScrubber {
    ExportScrubber(
      scrubber: setup.withLock { $0.scrubber }, names: knownNames().adding(names), pseudonyms: pseudonyms,
      keeping: identifiers)
  }
}

extension MAMError {
  fileprivate static func exportExists(_ path: String) -> MAMError {
    MAMError(
      .fileUnavailable, "a file with this name already exists; it was not changed",
      hint: "Choose another path, or remove the file", path: path, fault: FileFault(number: EEXIST))
  }
}
