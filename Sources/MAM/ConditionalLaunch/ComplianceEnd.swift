import Model

/// A status with what the user is told of it.
struct ComplianceEnd: Sendable {
  let status: ComplianceStatus
  let notice: UserNotice

  private init(_ status: ComplianceStatus, _ notice: UserNotice) {
    self.status = status
    self.notice = notice
  }

  private init(_ status: ComplianceStatus, _ title: ComplianceMessage, _ message: ComplianceMessage) {
    self.init(status, UserNotice(.compliance(title), .compliance(message)))
  }

  static let compliant = ComplianceEnd(.compliant, .compliantTitle, .compliant)
  static let serviceFailure = ComplianceEnd(.serviceFailure, .serviceFailureTitle, .serviceFailure)
  static let networkFailure = ComplianceEnd(.networkFailure, .networkFailureTitle, .networkFailure)
  static let interactionRequired = ComplianceEnd(
    .interactionRequired, .interactionRequiredTitle, .interactionRequired)
  static let userCancelled = ComplianceEnd(.userCancelled, .userCancelledTitle, .userCancelled)

  static func notCompliant(_ notice: UserNotice) -> ComplianceEnd { ComplianceEnd(.notCompliant, notice) }
}
