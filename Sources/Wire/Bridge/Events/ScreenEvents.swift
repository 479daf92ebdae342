import Model

enum SDKDidTakeOverUI: Event {
  typealias Body = ScreenNotice
  static let name = "policyManager.sdkDidTakeOverUI"
  static let summary = "A challenge or a request to the host is up in a window that had none."
  static let details = """
    A host pauses videos, stops timers and covers data until policyManager.sdkDidReleaseUI reports the same window; for \
    each window the two events alternate. Challenges count from the call that returns or asks them, and the requests \
    ui.promptForCredentials, ui.promptForPIN, ui.showAlert and ui.showDiagnosticConsole from the time they are sent.
    """
  static let example = EventParams(.example, ScreenNotice.example)
  static let sdkMembers = [
    "IntuneMAMSDKLifecycleEventAccountId", "IntuneMAMUIScene", "IntuneMAMSDKDidTakeOverUINotification",
  ]
}

enum SDKDidReleaseUI: Event {
  typealias Body = ScreenNotice
  static let name = "policyManager.sdkDidReleaseUI"
  static let summary = "The last challenge or request to the host in a window is answered, closed or expired."
  static let details = """
    If a host ends before its user answers, this event is sent when the next host calls initialize, or when the \
    challenge expires.
    """
  static let example = EventParams(.example, ScreenNotice.example)
  static let sdkMembers = [
    "IntuneMAMSDKLifecycleEventAccountId", "IntuneMAMUIScene", "IntuneMAMSDKDidReleaseUINotification",
  ]
}

extension ScreenNotice {
  static let example = ScreenNotice(
    accountId: Account.example.accountId, identity: Account.example.identity, window: "main")
}
