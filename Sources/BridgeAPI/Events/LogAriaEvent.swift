import JSON
import Model

package enum LogAriaEvent: Notification {
  package typealias Params = TelemetryEvent
  package static let name = "telemetryDelegate.logAriaEvent"
  package static let summary = "Telemetry, for a host that passes it on: a launch, an enrollment call, or an action."
  package static let details = """
    Told to the connections of this server process that have asked for it, and to nobody else: the server never sends \
    anything over a network by itself. Not stored, and without a number; what a host does not read in time is dropped. \
    None while MAMTelemetryDisabled is set, or telemetryEnabled is false. \
    launch comes with each initialize, with verdict, management (mam, mdm or none) and platform. enrollmentRequest, \
    policyRequest and unenrollRequest come with each such event of this process, with status and statusCode. The actions \
    are policyChange, appConfigChange, dataProtectionChange, userStatusChange, allowedAccountsChange, wipe, restart, and \
    complianceRemediation with status. environment is ppe with MAMTelemetryUsePPE, else production. Of an account nothing \
    is told but its object id and its tenant.
    """
  package static let example = TelemetryEvent(
    accountId: Account.example.accountId, name: "enrollmentRequest",
    properties: ["environment": "production", "status": "newPoliciesReceived", "statusCode": "100"],
    privacyLevel: .requiredServiceData, privacyDataTypes: [.productAndServicePerformance],
    tenantID: "c0000000-0000-4000-8000-000000000000")
  package static let sdkMembers = [
    "IntuneMAMTelemetryDelegate "
      + "-logAriaEventForAccountId:withName:properties:privacyLevel:privacyDataTypes:priorityLevel:dataRegion:tenantID:",
    "IntuneMAMTelemetryDelegate "
      + "-logAriaEventWithName:properties:privacyLevel:privacyDataTypes:priorityLevel:dataRegion:tenantID:",
  ]
}
