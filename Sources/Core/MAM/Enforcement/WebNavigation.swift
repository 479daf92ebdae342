import Model
import Policy

/// What a web view may do with an address, who owns the web view, and what may be entered into it.
package struct WebViewNavigation: Sendable {
  package let action: WebViewAction
  /// The owner of the web view; `nil` if no identity is set.
  package let owner: AccountReference?
  package let isUploadAllowed: Bool
  package let isPasteAllowed: Bool
}

/// Decides where web views may go.
package struct WebNavigation: Sendable {
  let live: LiveState
  let hosts: CurrentHost

  /// Decides by the web view's own policy, then by the setting TreatAllWebViewsAsUnmanaged, then by the account that
  /// the window shows, which is `nil` if no identity is set. `view` is what the window shows instead of one account.
  package func navigate(
    to url: AbsoluteURL, in webViewer: String, _ webViews: WebViews, showing shown: AccountReference?,
    sharing view: SharedView? = nil
  ) async throws(MAMError) -> Reasoned<WebViewNavigation> {
    try live.refresh()
    let (state, questions) = (live.state, try live.state.questions(about: shown, sharing: view))
    let policy = webViews.policy(of: webViewer)
    guard policy != .unmanaged, policy != .unset || !state.settings.bool(.treatAllWebViewsAsUnmanaged) else {
      return .navigation(
        Decision(.load, .webViewIsUnmanaged), .noUser, upload: questions.isUploadToUnmanagedAllowed,
        paste: questions.isPasteToUnmanagedAllowed)
    }
    let isBlocked = policy == .currentIdentityBlockUpload
    let input =
      questions.isLockedDown
      ? questions.isUploadToUnmanagedAllowed : Decision(!isBlocked, isBlocked ? .uploadBlocked : .webViewIsOwn)
    return .navigation(
      await action(for: url, questions, state, webViewer, webViews), questions.account, upload: input, paste: input)
  }

  private func action(
    for url: AbsoluteURL, _ questions: PolicyQuestions, _ state: CoreState, _ webViewer: String, _ webViews: WebViews
  ) async -> Decision<WebViewAction> {
    if state.isHandledByWebViews(url.scheme) { return Decision(.load, .webViewTakesScheme) }
    let isManaged = state.isSchemeOfManagedApp(url.scheme)
    let decision = questions.isURLAllowed(url, toManagedApp: isManaged)
    guard !decision.value else { return decision.map { _ in .load } }
    guard url.scheme == "http" || url.scheme == "https" else { return decision.map { _ in .block } }
    guard webViews.hasDelegate(webViewer) else { return Decision(.load, .noBrowserNeeded, decision.setting) }
    guard await hosts.current.isExternalURL(url.text, in: webViewer) else {
      return Decision(.load, .addressIsInternal, decision.setting)
    }
    return Decision(.openInManagedBrowser, .addressIsExternal, decision.setting)
  }
}

extension Reasoned<WebViewNavigation> {
  fileprivate static func navigation(
    _ action: Decision<WebViewAction>, _ owner: AccountReference?, upload: Decision<Bool>, paste: Decision<Bool>
  ) -> Reasoned {
    let value = WebViewNavigation(
      action: action.value, owner: owner, isUploadAllowed: upload.value, isPasteAllowed: paste.value)
    return Reasoned(
      value,
      because: [
        Reason(action, part: ("action", .string(action.value.rawValue))), upload.reason(for: "uploadAllowed"),
        paste.reason(for: "pasteAllowed"),
      ])
  }
}

extension CoreState {
  /// Addresses inside pages, and the schemes that the app lets its web views handle.
  fileprivate func isHandledByWebViews(_ scheme: String) -> Bool {
    ["about", "blob", "data", "javascript"].contains(scheme)
      || settings.stringList(.webViewHandledURLSchemes).contains { $0.lowercasedASCII == scheme }
  }
}
