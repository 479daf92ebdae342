import Model

/// A status with what the user is told of it.
struct ComplianceEnd: Sendable {
  let status: ComplianceStatus
  let message: UserMessage
  let title: UserMessage

  static let compliant = ComplianceEnd(status: .compliant, message: .compliantMessage, title: .compliantTitle)
  static let serviceFailure = ComplianceEnd(
    status: .serviceFailure, message: .serviceFailureMessage, title: .serviceFailureTitle)
  static let networkFailure = ComplianceEnd(
    status: .networkFailure, message: .networkFailureMessage, title: .networkFailureTitle)
  static let interactionRequired = ComplianceEnd(
    status: .interactionRequired, message: .interactionRequiredMessage, title: .interactionRequiredTitle)
  static let userCancelled = ComplianceEnd(
    status: .userCancelled, message: .userCancelledMessage, title: .userCancelledTitle)

  static func notCompliant(_ message: UserMessage, _ title: UserMessage) -> ComplianceEnd {
    ComplianceEnd(status: .notCompliant, message: message, title: title)
  }
}
