import JSON
import Model

package enum IsPINRequired: Method {
  package static let name = "policy.isPINRequired"
  package static let summary = "Must the user enter a PIN to see this account's data?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether a PIN is required."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy isPINRequired"]
}

package enum IsManagedBrowserRequired: Method {
  package static let name = "policy.isManagedBrowserRequired"
  package static let summary = "Must web links of this account open in the managed browser?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether the managed browser is required."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy isManagedBrowserRequired"]
}

package enum IsContactSyncAllowed: Method {
  package static let name = "policy.isContactSyncAllowed"
  package static let summary = "May this account's contacts be synced to the device's address book?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether contacts may be synced."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy isContactSyncAllowed"]
}

package enum IsWidgetContentSyncAllowed: Method {
  package static let name = "policy.isWidgetContentSyncAllowed"
  package static let summary = "May this account's data be shown in widgets?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether widgets may show it."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy isWidgetContentSyncAllowed"]
}

package enum IsSpotlightIndexingAllowed: Method {
  package static let name = "policy.isSpotlightIndexingAllowed"
  package static let summary = "May this account's data be indexed for the system's search?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether it may be indexed."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), false)
  package static let sdkMembers = ["IntuneMAMPolicy isSpotlightIndexingAllowed"]
}

package enum AreSiriIntentsAllowed: Method {
  package static let name = "policy.areSiriIntentsAllowed"
  package static let summary = "May this account's data be given to the system's assistant?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether intents may hold it."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), false)
  package static let sdkMembers = ["IntuneMAMPolicy areSiriIntentsAllowed"]
}

package enum IsAppSharingAllowed: Method {
  package static let name = "policy.isAppSharingAllowed"
  package static let summary = "May this account's data be shared with any other app at all?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "False only where no app may receive data; which ones may is asked elsewhere."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy isAppSharingAllowed"]
}

package enum ShouldFileProviderEncryptFiles: Method {
  package static let name = "policy.shouldFileProviderEncryptFiles"
  package static let summary = "Must a file provider hand out this account's files encrypted?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether it must encrypt them."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy shouldFileProviderEncryptFiles"]
}

package enum IsFileEncryptionRequired: Method {
  package static let name = "policy.isFileEncryptionRequired"
  package static let summary = "Must this account's files be encrypted at rest?"
  package typealias Params = PolicyTarget
  package typealias Result = Bool
  package static let resultSummary = "Whether files must be encrypted."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy isFileEncryptionRequired"]
}

package enum GetNotificationPolicy: Method {
  package static let name = "policy.notificationPolicy"
  package static let summary = "What may notifications show of this account's data?"
  package typealias Params = PolicyTarget
  package typealias Result = NotificationPolicy
  package static let resultSummary = "What notifications may show."
  package static let errors: [APIError] = .policy
  package static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), .blockOrgData)
  package static let sdkMembers = ["IntuneMAMPolicy notificationPolicy"]
}
