import Model
import Support

/// Tells listeners in this process what was done: launches, enrollment calls, and what these changed.
///
/// Nothing is stored or sent anywhere; whether anything leaves the machine is up to the listeners. Telemetry is off if
/// MAMTelemetryDisabled is true, or telemetryEnabled is false.
package final class Telemetry: Sendable {
  package typealias Listener = @Sendable (TelemetryEvent) -> Void

  private struct State {
    var lastNumber = 0
    var listeners: [Int: Listener] = [:]
  }

  private let state = Lock(State())

  /// Returns a number for `remove`. A listener runs where the work was done, so it must not block.
  package func add(_ listener: @escaping Listener) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.listeners[state.lastNumber] = listener
      return state.lastNumber
    }
  }

  package func remove(_ number: Int) {
    let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
    // Release it outside the lock.
    withExtendedLifetime(removed) {}
  }

  /// Calls each listener with the reports in their order.
  func send(_ reports: [TelemetryReport], _ core: CoreState) {
    let listeners = state.withLock { Array($0.listeners.values) }
    guard !listeners.isEmpty, core.settings.isTelemetryOn else { return }
    for report in reports {
      let event = TelemetryEvent(report, core)
      for listener in listeners { listener(event) }
    }
  }
}

extension Settings {
  fileprivate var isTelemetryOn: Bool { bool(.telemetryEnabled) && !bool(.mamTelemetryDisabled) }
}

extension TelemetryEvent {
  fileprivate init(_ report: TelemetryReport, _ core: CoreState) {
    let account = report.accountId.flatMap { core.account(AccountReference($0)) }
    let environment = ["environment": core.settings.bool(.mamTelemetryUsePPE) ? "ppe" : "production"]
    self.init(
      accountId: report.accountId, name: report.name,
      properties: report.properties.merging(environment) { own, _ in own }, privacyLevel: report.kind.privacyLevel,
      privacyDataTypes: report.kind.privacyDataTypes, priorityLevel: report.isFailure ? .high : .normal,
      tenantID: account?.tenantId)
  }
}

/// What telemetry is about, and why it is collected.
enum TelemetryKind: Sendable {
  case launch, enrollment, action

  var privacyLevel: TelemetryPrivacyLevel {
    switch self {
    case .launch: .requiredDiagnosticData
    case .enrollment: .requiredServiceData
    case .action: .optionalDiagnosticData
    }
  }

  var privacyDataTypes: [TelemetryPrivacyDataType] {
    switch self {
    case .launch: [.productAndServiceUsage, .softwareSetupAndInventory]
    case .enrollment: [.productAndServicePerformance]
    case .action: [.productAndServiceUsage, .productAndServicePerformance]
    }
  }
}

/// Something that was done, before it is known whether listeners may learn of it.
struct TelemetryReport: Sendable {
  let kind: TelemetryKind
  let name: String
  var accountId: String?
  /// Only codes, and words of mambridge itself.
  var properties: [String: String] = [:]
  var isFailure = false
}

extension TelemetryReport {
  /// The verdict of a launch, and the management of the account that was enrolled first.
  init(launch report: LaunchReport, of account: AccountState?, on device: Device) {
    let management = account.map { $0.isMDM ? "mdm" : "mam" } ?? "none"
    self.init(
      kind: .launch, name: "launch", accountId: account?.account.accountId,
      properties: [
        "verdict": report.verdict.rawValue, "management": management, "platform": device.platform.rawValue,
      ], isFailure: report.verdict >= .block)
  }

  /// `nil` for a launch, which is reported separately because not every launch stores an event, for the screens that a
  /// host shows, and for a violation of strict mode, which concerns only the developers of the host.
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
    case .managementRemoved(let account): self.init("managementRemoval", account)
    case .mdmEnrolledAccountDidChange(let account): self.init("mdmEnrolledAccountChange", account)
    case .launchReport, .sdkDidTakeOverUI, .sdkDidReleaseUI, .strictViolation: return nil
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
