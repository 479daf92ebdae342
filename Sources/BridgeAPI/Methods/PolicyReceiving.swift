import JSON
import Model

package enum CanReceiveSharedItemProvider: Method {
  package static let name = "policy.canReceiveSharedItemProvider"
  package static let summary = "May this account receive what another app hands over?"
  package static let details = """
    Asked on the policy of the receiver. The content is its owner's: that of the protected bytes or file in it, nobody's \
    without one. Where data is received from managed apps only, its owner must be managed in this app. Another managed \
    account must let its data go, to a managed receiver or to every app.
    """
  package struct Params: Targeted {
    package var itemProvider: ItemProvider
    package var target: PolicyTarget
    package static let fields = Fields(
      Self.init(itemProvider:account:thread:window:), Field("itemProvider", \.itemProvider, "What is handed over."),
      Field("account", \.target.account, "The receiver; without it the effective identity."),
      Field("thread", \.target.thread, PolicyTarget.threadSummary),
      Field("window", \.target.window, PolicyTarget.windowSummary))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it may be received."
  package static let errors: [APIError] = [.failedToDecryptData] + .reading + .policy
  package static let example = Example<Params, Result>(
    Params(itemProvider: .example, account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy -canReceiveSharedItemProvider:"]
}

extension CanReceiveSharedItemProvider.Params {
  package init(
    itemProvider: ItemProvider, account: AccountReference? = nil, thread: String? = nil, window: String? = nil
  ) {
    self.init(itemProvider: itemProvider, target: PolicyTarget(account: account, thread: thread, window: window))
  }
}

package enum CanReceiveSharedFile: Method {
  package static let name = "policy.canReceiveSharedFile"
  package static let summary = "May this account receive a file that another app hands over?"
  package static let details = CanReceiveSharedItemProvider.details
  package struct Params: Targeted {
    package var path: AbsolutePath
    package var target: PolicyTarget
    package static let fields = Fields(
      Self.init(path:account:thread:window:),
      Field("path", \.path, "The file; one that is not there is nobody's."),
      Field("account", \.target.account, "The receiver; without it the effective identity."),
      Field("thread", \.target.thread, PolicyTarget.threadSummary),
      Field("window", \.target.window, PolicyTarget.windowSummary))
  }
  package typealias Result = Bool
  package static let resultSummary = "Whether it may be received."
  package static let errors: [APIError] = CanReceiveSharedItemProvider.errors
  package static let example = Example<Params, Result>(
    Params(path: .example, account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMPolicy -canReceiveSharedFile:"]
}

extension CanReceiveSharedFile.Params {
  package init(
    path: AbsolutePath, account: AccountReference? = nil, thread: String? = nil, window: String? = nil
  ) {
    self.init(path: path, target: PolicyTarget(account: account, thread: thread, window: window))
  }
}
