import JSON

/// How a remediation of compliance ended (IntuneMAMComplianceDelegate).
package struct ComplianceReport: Hashable, Sendable {
  package var accountId: String?
  package var identity: String?
  package var status: ComplianceStatus
  /// The text for the user. Neither the text nor its title is ever empty.
  package var errorMessage: String
  package var errorTitle: String

  package init(_ account: Account, _ status: ComplianceStatus, message: String, title: String) {
    self.init(
      accountId: account.accountId, identity: account.identity, status: status, errorMessage: message,
      errorTitle: title)
  }

  private init(
    accountId: String?, identity: String?, status: ComplianceStatus, errorMessage: String, errorTitle: String
  ) {
    self.accountId = accountId
    self.identity = identity
    self.status = status
    self.errorMessage = errorMessage
    self.errorTitle = errorTitle
  }
}

extension ComplianceReport: Record {
  package static let fields = Fields(
    Self.init(accountId:identity:status:errorMessage:errorTitle:),
    Field("accountId", \.accountId, "The Entra object id; null if unknown, \"\" for no user."),
    Field("identity", \.identity, "The user principal name; null if unknown, \"\" for no user."),
    Field(required: "status", \.status, "Whether the account may be used, or why that is unknown."),
    Field("errorMessage", \.errorMessage, "What to tell the user, on success too; never empty."),
    Field("errorTitle", \.errorTitle, "The title for the message; never empty."))
}

/// Whether an account may be used, or why it could not be made compliant.
package enum ComplianceStatus: String, SDKEnum {
  case compliant, notCompliant, serviceFailure, networkFailure, interactionRequired, userCancelled
  package static let sdkName = "IntuneMAMComplianceStatus"
  package static let sdkValues = [0, 1, 2, 3, 4, 5]
}

extension ComplianceStatus: SDKEnumValue {}
