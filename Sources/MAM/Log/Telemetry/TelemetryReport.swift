import Model

/// Something that was done, before it is known whether anybody may hear of it.
struct TelemetryReport: Sendable {
  let kind: TelemetryKind
  let name: String
  var accountId: String?
  /// Codes and the product's own words only.
  var properties: [String: String] = [:]
  var isFailure = false
}

extension TelemetryReport {
  /// How a host was let in, and how the account is managed that was enrolled first.
  init(launch report: LaunchReport, of account: AccountState?, on device: Device) {
    let management = account.map { $0.isMDM ? "mdm" : "mam" } ?? "none"
    self.init(
      kind: .launch, name: "launch", accountId: account?.account.accountId,
      properties: [
        "verdict": report.verdict.rawValue, "management": management, "platform": device.platform.rawValue,
      ], isFailure: report.verdict >= .block)
  }

  /// Nil for what is told otherwise: a launch, also where no event is stored.
  init?(_ event: CoreEvent) {
    switch event {
    case .enrollmentRequestWithStatus(let status): self.init(.enrollment, "enrollmentRequest", status)
    case .policyRequestWithStatus(let status): self.init(.enrollment, "policyRequest", status)
    case .unenrollRequestWithStatus(let status): self.init(.enrollment, "unenrollRequest", status)
    case .policyDidChange(let account): self.init("policyChange", account)
    case .appConfigDidChange(let account): self.init("appConfigChange", account)
    case .dataProtectionDidChange(let account): self.init("dataProtectionChange", account)
    case .userStatusDidChange(let account): self.init("userStatusChange", account)
    case .wipeDidComplete(let account): self.init("wipe", account)
    case .restartRequired(let notice): self.init(kind: .action, name: "restart", accountId: notice.accountId)
    case .allowedAccountsDidChange: self.init(kind: .action, name: "allowedAccountsChange")
    case .hasComplianceStatus(let report):
      self.init(
        kind: .action, name: "complianceRemediation", accountId: report.accountId,
        properties: ["status": report.status.rawValue], isFailure: report.status != .compliant)
    case .launchReport: return nil
    }
  }

  private init(_ kind: TelemetryKind, _ name: String, _ status: EnrollmentStatus) {
    self.init(
      kind: kind, name: name, accountId: status.accountId,
      properties: ["status": status.statusCode.rawValue, "statusCode": String(status.statusCode.sdkValue)],
      isFailure: !status.didSucceed)
  }

  private init(_ action: String, _ account: Account) {
    self.init(kind: .action, name: action, accountId: account.accountId)
  }
}
