import JSON
import Model

package enum RestartRequired: Event {
  package typealias Body = RestartNotice
  package static let name = "policyManager.restartRequired"
  package static let summary = "An account has its first policy, and the host does not restart itself: the user must."
  package static let details = """
    Told when policyDelegate.restartApplication was answered with false, or by nobody. The policy is in force already.
    """
  package static let example = EventParams(
    .example, RestartNotice(.example, message: "Restart the application."))
}
