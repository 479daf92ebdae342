/// What an account's way to compliance ended with.
enum ComplianceMessage: String, MessageTopic {
  case compliantTitle = "ConditionalAccessStatusCompliant_Title"
  case compliant = "ConditionalAccessStatusCompliant"
  case notCompliantTitle = "ConditionalAccessStatusMisconfigured_Title"
  case notCompliant = "ConditionalAccessStatusMisconfigured"
  case serviceFailureTitle = "ConditionalAccessStatusServiceFailure_Title"
  case serviceFailure = "ConditionalAccessStatusServiceFailure"
  case networkFailureTitle = "ConditionalAccessStatusNetworkUnavailable_Title"
  case networkFailure = "ConditionalAccessStatusNetworkUnavailable"
  case interactionRequiredTitle = "ConditionalAccessStatusNoMAMToken_Title"
  case interactionRequired = "ConditionalAccessStatusNoMAMToken"
  case userCancelledTitle = "ConditionalAccessStatusUserCanceled_Title"
  case userCancelled = "ConditionalAccessStatusUserCanceled"
}
