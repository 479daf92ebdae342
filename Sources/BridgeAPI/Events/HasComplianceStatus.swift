import JSON
import Model

package enum HasComplianceStatus: Event {
  package typealias Body = ComplianceReport
  package static let name = "complianceDelegate.hasComplianceStatus"
  package static let summary = "A remediation of compliance has ended."
  package static let details = """
    One for each complianceManager.remediateCompliance that came to its end, however many calls waited for it.
    """
  package static let example = EventParams(
    .example, ComplianceReport(.example, .compliant, message: "The requirements are met.", title: "Ready"))
  package static let sdkMembers = [
    "IntuneMAMComplianceDelegate -identity:hasComplianceStatus:withErrorMessage:andErrorTitle:",
    "IntuneMAMComplianceDelegate -accountId:hasComplianceStatus:withErrorMessage:andErrorTitle:",
  ]
}
