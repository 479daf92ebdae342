import Model

/// What becomes of an address, and what is opened.
package struct URLOpening: Hashable, Sendable {
  package let action: URLAction
  /// As it was given, unless it is rewritten.
  package let url: AbsoluteURL
}

extension Decision<URLOpening> {
  /// What the user is told where nothing is opened, or nothing is there that takes what is.
  package func refusal(in language: Language) -> Refusal? {
    value.action == .open ? nil : Reason(self).refusal?.refusal(in: language)
  }
}

extension PolicyQuestions {
  /// What becomes of an address that the app is about to open? `isManaged` as for `isURLAllowed`.
  ///
  /// A link of the web that the policy lists opens the app that has claimed it, whatever browser is required.
  package func opening(_ url: AbsoluteURL, toManagedApp isManaged: Bool) -> Decision<URLOpening> {
    if let link = policy?.listedLink(url) { return link.map { _ in URLOpening(action: .open, url: url) } }
    let decision = isURLAllowed(url, toManagedApp: isManaged)
    guard !decision.value, let redirection = policy?.handOff.redirections[url.scheme] else {
      return decision.map { URLOpening(action: $0 ? .open : .block, url: url) }
    }
    let rewritten = URLOpening(action: .rewrite, url: url.replacingScheme(by: redirection.scheme))
    return Decision(rewritten, .goesToNamedApp, redirection.setting)
  }
}
