import Model

package enum DidReportLaunch: Event {
  package typealias Body = LaunchReport
  package static let name = "policyManager.launchReport"
  package static let summary = "A host has started and may not simply go on, or the core enrolled an account for it."
  package static let details = """
    At an initialize whose verdict is not allow, and at one that tried to enroll on its own (AutoEnrollOnLaunch). Its \
    result holds the same report, with the conditional launch. When policy comes later, policyManager.policyDidChange tells.
    """
  package static let example = EventParams(.example, LaunchReport.exampleBlocked)
}

extension LaunchReport {
  package static let exampleBlocked = LaunchReport(
    verdict: .block,
    reasons: [Reason(.mamPolicyRequired, "The application needs a policy, and no account has one.")])
}
