import Model

/// What a web view may do with an address, as whom, and what may get into it.
package struct WebViewNavigation: Sendable {
  package let action: WebViewAction
  /// Whose the web view is; nil where no identity is set.
  package let owner: AccountReference?
  package let isUploadAllowed: Bool
  package let isPasteAllowed: Bool
}

extension Core {
  /// By the web view's own policy, else by the setting TreatAllWebViewsAsUnmanaged, else as whom the window shows; nil
  /// where no identity is set.
  package func navigate(
    to url: AbsoluteURL, in webViewer: String, _ webViews: WebViews, showing shown: AccountReference?
  ) async throws(MAMError) -> WebViewNavigation {
    try refresh()
    let (state, questions) = (state, try state.questions(about: shown))
    let policy = webViews.policy(of: webViewer)
    guard policy != .unmanaged, policy != .unset || !state.settings.bool(.treatAllWebViewsAsUnmanaged) else {
      return WebViewNavigation(
        action: .load, owner: .noUser, isUploadAllowed: questions.isUploadToUnmanagedAllowed.value,
        isPasteAllowed: questions.isPasteToUnmanagedAllowed.value)
    }
    return WebViewNavigation(
      action: await action(for: url, questions, state, webViewer, webViews), owner: questions.account,
      isUploadAllowed: policy != .currentIdentityBlockUpload, isPasteAllowed: true)
  }

  private func action(
    for url: AbsoluteURL, _ questions: PolicyQuestions, _ state: CoreState, _ webViewer: String, _ webViews: WebViews
  ) async -> WebViewAction {
    if state.isHandledByWebViews(url.scheme) { return .load }
    let isManaged = state.isSchemeOfManagedApp(url.scheme)
    guard !questions.isURLAllowed(url, toManagedApp: isManaged).value else { return .load }
    guard url.scheme == "http" || url.scheme == "https" else { return .block }
    guard webViews.hasDelegate(webViewer), await host.isExternalURL(url.text, in: webViewer) else { return .load }
    return .openInManagedBrowser
  }
}

extension CoreState {
  /// Pages within pages, and what the app has said that its web views take themselves.
  fileprivate func isHandledByWebViews(_ scheme: String) -> Bool {
    ["about", "blob", "data", "javascript"].contains(scheme)
      || settings.stringList(.webViewHandledURLSchemes).contains { $0.lowercasedASCII == scheme }
  }
}
