import MAM
import Model
import Policy

enum IsPINRequired: PolicyQuestion {
  static let name = "policy.isPINRequired"
  static let summary = "Report whether the user must enter a PIN to see an account's data."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether a PIN is required."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicy isPINRequired"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isPINRequired(state.devicePIN)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer ? "a PIN is required" : "a PIN is not required"
  }
}

enum IsManagedBrowserRequired: PolicyQuestion {
  static let name = "policy.isManagedBrowserRequired"
  static let summary = "Report whether an account's web links must open in the managed browser."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether the managed browser is required."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicy isManagedBrowserRequired"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isManagedBrowserRequired
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    "the managed browser is \(answer ? "" : "not ")required for web links"
  }
}

enum IsContactSyncAllowed: PolicyQuestion {
  static let name = "policy.isContactSyncAllowed"
  static let summary = "Report whether an account's contacts may be synced to the device's address book."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether contacts may be synced."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicy isContactSyncAllowed"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isContactSyncAllowed
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "syncing contacts to the device's address book")
  }
}

enum IsWidgetContentSyncAllowed: PolicyQuestion {
  static let name = "policy.isWidgetContentSyncAllowed"
  static let summary = "Report whether widgets may show an account's data."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether widgets may show the data."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicy isWidgetContentSyncAllowed"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isWidgetContentSyncAllowed
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "showing data in widgets")
  }
}

enum IsSpotlightIndexingAllowed: PolicyQuestion {
  static let name = "policy.isSpotlightIndexingAllowed"
  static let summary = "Report whether the system's search may index an account's data."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether the data may be indexed."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = ["IntuneMAMPolicy isSpotlightIndexingAllowed"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isSpotlightIndexingAllowed
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "indexing data for the system's search")
  }
}

enum AreSiriIntentsAllowed: PolicyQuestion {
  static let name = "policy.areSiriIntentsAllowed"
  static let summary = "Report whether the system's assistant may get an account's data."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether intents may contain the data."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = ["IntuneMAMPolicy areSiriIntentsAllowed"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.areSiriIntentsAllowed
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "giving data to the system's assistant")
  }
}

enum AreAppIntentsAllowed: PolicyQuestion {
  static let name = "policy.areAppIntentsAllowed"
  static let summary = "Report whether the actions that an app offers to other programs may get an account's data."
  static let details = """
    About everything that the host offers to assistants, shells and other programs and that holds data or actions of \
    the account: App Intents and, on Linux, D-Bus and desktop actions, search providers, MPRIS, command palettes and \
    MCP tools. The host must not offer them if the answer is false.
    """
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether such actions may contain the data."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = ["IntuneMAMPolicy areAppIntentsAllowed"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.areAppIntentsAllowed
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "giving data to actions that the app offers")
  }
}

enum IsAppSharingAllowed: PolicyQuestion {
  static let name = "policy.isAppSharingAllowed"
  static let summary = "Report whether an account's data may be shared with any other app at all."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary =
    "False only if no app may receive the data. enforcement.filterShareTargets decides which apps may."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicy isAppSharingAllowed"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isAppSharingAllowed
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "sharing data with other apps")
  }
}

enum ShouldFileProviderEncryptFiles: PolicyQuestion {
  static let name = "policy.shouldFileProviderEncryptFiles"
  static let summary = "Report whether a file provider must hand out an account's files encrypted."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether the files must be encrypted."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicy shouldFileProviderEncryptFiles"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.shouldFileProviderEncryptFiles
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    "file providers \(answer ? "must" : "need not") encrypt the files that they hand out"
  }
}

enum IsFileEncryptionRequired: PolicyQuestion {
  static let name = "policy.isFileEncryptionRequired"
  static let summary = "Report whether an account's files must be encrypted at rest."
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether the files must be encrypted."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMPolicy isFileEncryptionRequired"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isFileEncryptionRequired
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer ? "file encryption is required" : "file encryption is not required"
  }
}

enum GetNotificationPolicy: PolicyQuestion {
  static let name = "policy.notificationPolicy"
  static let summary = "Return what notifications may show of an account's data."
  typealias Params = PolicyTarget
  typealias Result = NotificationPolicy
  static let resultSummary = "What notifications may show."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), .blockOrgData)
  static let sdkMembers = ["IntuneMAMPolicy notificationPolicy"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<NotificationPolicy> {
    policy.notificationPolicy
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    switch answer {
    case .allow: "notifications may show everything"
    case .blockOrgData: "notifications must not show the organization's data"
    case .block: "notifications are blocked"
    }
  }
}

enum IsScreenCaptureAllowed: PolicyQuestion {
  static let name = "policy.isScreenCaptureAllowed"
  static let summary = "Report whether the screen may be captured while it shows an account's data."
  static let details = """
    The same answer as enforcement.isActionAllowed for screenCapture. The host enforces it, with what its window system \
    offers.
    """
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether the screen may be captured."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = ["IntuneMAMPolicy isScreenCaptureAllowed"]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isScreenCaptureAllowed(state.appConfig(of: policy.account))
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "capturing the screen")
  }
}
