import JSON
import MAM
import Model

enum EventsGap: Notification {
  static let name = "events.gap"
  static let summary = "Events were not pushed because the host read too slowly, and they are no longer stored."
  static let details = """
    The missing events can be of any type, because they can no longer be examined. This notification is not stored and \
    has no number of its own. Events after the gap follow. The host should query any state that it derives from events \
    again.
    """
  static let example = EventGap(12...57)
}

enum LoggerLog: Notification {
  struct Params: Record {
    var level: LogLevel
    var message: String
    var cause: RequestCause?
    static let fields = Fields(
      Self.init, Field("level", \.level, "How important the line is."),
      Field("message", \.message, "What happened; personal data only in verbose lines."),
      Field(
        "cause", \.cause, "The request that caused the line; null if none did, or if it was answered from memory."))
  }
  static let name = "logger.log"
  static let summary = "A line was written to the diagnostics log."
  static let details = """
    Not stored, and without a number. Lines that a host does not read in time are dropped; diagnosticsLog.query \
    returns them. Over HTTP, GET /log streams the lines with their time and category, and drops none.
    """
  static let example = Params(
    level: .info, message: "enroll <user:3fa1c2d4>: newPoliciesReceived (100)", cause: .example)
  static let sdkMembers = ["IntuneMAMLogger -log:level:"]
}

enum LogAriaEvent: Notification {
  typealias Params = TelemetryEvent
  static let name = "telemetryDelegate.logAriaEvent"
  static let summary = "A telemetry event for the host to pass on: a launch, an enrollment request or an action."
  static let details = """
    Sent only to connections of this server process that subscribed to it. The server itself never sends telemetry \
    over a network. Not stored, and without a number; what a host does not read in time is dropped. Nothing is sent \
    while MAMTelemetryDisabled is set or telemetryEnabled is false.

    launch is sent for each initialize, with verdict, management (mam, mdm or none) and platform. enrollmentRequest, \
    policyRequest and unenrollRequest are sent with each such event of this process, with status and statusCode. The \
    actions are policyChange, appConfigChange, dataProtectionChange, userStatusChange, allowedAccountsChange, wipe, \
    restart, and complianceRemediation with status. environment is ppe with MAMTelemetryUsePPE, else production. An \
    account is identified only by its object id and tenant.
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
