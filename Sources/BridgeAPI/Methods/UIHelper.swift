import JSON
import Model

package enum ShowSharingBlockedMessage: Method {
  package static let name = "uiHelper.showSharingBlockedMessage"
  package static let summary = "Tells the user that data may not be shared, by ui.showAlert."
  package static let details = "Answered at once; where no host shows alerts, nothing is shown."
  package struct Params: Record {
    package var window: String?
    package static let fields = Fields(
      Self.init(window:), Field("window", \.window, "The host's name for the window; without it the application's."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let example = Example(Params(window: "main"), Nothing())
  package static let sdkMembers = ["IntuneMAMUIHelper +showSharingBlockedMessage:"]
}

package enum GetRestartApplicationMessage: Method {
  package static let name = "uiHelper.getRestartApplicationMessage"
  package static let summary = "What to tell the user when the application must be restarted for its first policy."
  package typealias Params = NoParameters
  package typealias Result = String
  package static let resultSummary = "A text for the user, in the language of the connection."
  package static let example = Example("Restart the application to continue.")
  package static let sdkMembers = ["IntuneMAMUIHelper +getRestartApplicationMessage"]
}
