import JSON
import MAM
import Model

enum EventsGap: Notification {
  static let name = "events.gap"
  static let summary = "Events that were to be pushed are no longer kept: the host was too slow to take them."
  static let details = """
    Of any type, for what is gone cannot be looked at. Not stored, and without a number of its own. The stream goes on \
    behind it; the host should ask anew for the state that it derives from events.
    """
  static let example = EventGap(from: 12, to: 57)
}

enum LoggerLog: Notification {
  struct Params: Record {
    var level: LogLevel
    var message: String
    static let fields = Fields(
      Self.init, Field("level", \.level, "How much the line matters."),
      Field("message", \.message, "What happened; personal data only in verbose lines."))
  }
  static let name = "logger.log"
  static let summary = "A line of the diagnostics log, as it is written."
  static let details = """
    Not stored, and without a number: lines that a host does not read in time are dropped; diagnosticsLog.query has them.
    """
  static let example = Params(level: .info, message: "enroll <user:3fa1c2d4>: newPoliciesReceived (100)")
  static let sdkMembers = ["IntuneMAMLogger -log:level:"]
}

enum LogAriaEvent: Notification {
  typealias Params = TelemetryEvent
  static let name = "telemetryDelegate.logAriaEvent"
  static let summary = "Telemetry, for a host that passes it on: a launch, an enrollment call, or an action."
  static let details = """
    Told to the connections of this server process that have asked for it, and to nobody else: the server never sends \
    anything over a network by itself. Not stored, and without a number; what a host does not read in time is dropped. \
    None while MAMTelemetryDisabled is set, or telemetryEnabled is false. launch comes with each initialize, with \
    verdict, management (mam, mdm or none) and platform. enrollmentRequest, policyRequest and unenrollRequest come \
    with each such event of this process, with status and statusCode. The actions are policyChange, appConfigChange, \
    dataProtectionChange, userStatusChange, allowedAccountsChange, wipe, restart, and complianceRemediation with \
    status. environment is ppe with MAMTelemetryUsePPE, else production. Of an account nothing is told but its object \
    id and its tenant.
    """
  static let example = TelemetryEvent(
    accountId: Account.example.accountId, name: "enrollmentRequest",
    properties: ["environment": "production", "status": "newPoliciesReceived", "statusCode": "100"],
    privacyLevel: .requiredServiceData, privacyDataTypes: [.productAndServicePerformance],
    tenantID: "c0000000-0000-4000-8000-000000000000")
  static let sdkMembers = [
    "IntuneMAMTelemetryDelegate "
      + "-logAriaEventForAccountId:withName:properties:privacyLevel:privacyDataTypes:priorityLevel:dataRegion:tenantID:",
    "IntuneMAMTelemetryDelegate "
      + "-logAriaEventWithName:properties:privacyLevel:privacyDataTypes:priorityLevel:dataRegion:tenantID:",
  ]
}
