import Model

extension PolicyQuestions {
  /// May an address be handed to the app that takes it? `isManaged` is whether that is known to be a managed one; a
  /// scheme that ends in -intunemam says so itself.
  package func isURLAllowed(_ url: AbsoluteURL, toManagedApp isManaged: Bool) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    let isManaged = isManaged || url.scheme.hasSuffix("-intunemam")
    return switch url.scheme {
    case "http", "https": policy.webRule
    case "tel", "telprompt": policy.dialerRule(url.scheme, isManaged)
    case "sms": policy.messagingRule(url.scheme, isManaged)
    default: policy.namedRule(url.scheme) ?? policy.otherRule(url, isManaged)
    }
  }

  /// May a link of the web open the app that has claimed it, instead of a browser?
  package func isUniversalLinkAllowed(_ url: AbsoluteURL) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    if let decision = policy.listedLink(url), decision.rule != .managedLink || policy.send.apps == .managedApps {
      return decision
    }
    return policy.send.forApp(isManaged: false, otherwise: .linkNotListed)
  }

  /// False only where no data may come in, or none go out, whichever the picker is for.
  package func isDocumentPickerAllowed(_ mode: DocumentPickerMode) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    let level = mode.bringsDataIn ? policy.receive : policy.send
    let isDecided = level.apps == nil || level.admitsNoApp
    return (isDecided ? level.general : nil) ?? Decision(true, .settingDecides, level.setting)
  }
}

extension CompiledPolicy {
  /// Nil for what is no link of a list, and for one of a managed app where no app may have data.
  func listedLink(_ url: AbsoluteURL) -> Decision<Bool>? {
    guard handOff.hasLinks, let link = WebAddress(url.text) else { return nil }
    if handOff.exemptLinks.contains(where: { $0.matches(link) }) {
      return Decision(true, .exemptLink, .exemptedUniversalLinks)
    }
    guard !send.admitsNoApp, handOff.managedLinks.contains(where: { $0.matches(link) }) else { return nil }
    return Decision(true, .managedLink, .managedUniversalLinks)
  }

  fileprivate var webRule: Decision<Bool> {
    guard isManagedBrowserRequired, hasCustomBrowser else {
      return Decision(!isManagedBrowserRequired, .settingDecides, .managedBrowserToOpenLinksRequired)
    }
    return Decision(false, .namedAppOnly, .customBrowserProtocol)
  }

  fileprivate func dialerRule(_ scheme: String, _ isManaged: Bool) -> Decision<Bool> {
    switch handOff.dialer {
    case nil: Decision(true, .nothingRestricts)
    case .allApps: Decision(true, .settingDecides, .dialerRestrictionLevel)
    case .managedApps: .managed(isManaged, .dialerRestrictionLevel)
    case .customApp: namedRule(scheme) ?? Decision(false, .namedAppOnly, .dialerRestrictionLevel)
    case .blocked: Decision(false, .settingDecides, .dialerRestrictionLevel)
    }
  }

  fileprivate func messagingRule(_ scheme: String, _ isManaged: Bool) -> Decision<Bool> {
    switch handOff.messaging {
    case nil: Decision(true, .nothingRestricts)
    case .anyApp: Decision(true, .settingDecides, .protectedMessagingRedirectAppType)
    case .anyManagedApp: .managed(isManaged, .protectedMessagingRedirectAppType)
    case .specificApps: namedRule(scheme) ?? Decision(false, .namedAppOnly, .protectedMessagingRedirectAppType)
    case .blocked: Decision(false, .settingDecides, .protectedMessagingRedirectAppType)
    }
  }

  /// Where the policy sends links, numbers or messages, they must be able to go.
  fileprivate func namedRule(_ scheme: String) -> Decision<Bool>? {
    handOff.namedSchemes[scheme].map { Decision(true, .isNamedApp, $0) }
  }

  fileprivate func otherRule(_ url: AbsoluteURL, _ isManaged: Bool) -> Decision<Bool> {
    let isExempt = handOff.exemptSchemes.contains(url.scheme)
    guard !isExempt else { return Decision(true, .exemptScheme, .exemptedAppProtocols) }
    if effective.platform == .android, let package = url.androidPackage, actions.exemptPackages.contains(package) {
      return Decision(true, .exemptApp, .exemptedAppPackages)
    }
    return send.forApp(isManaged: isManaged)
  }
}

extension AbsoluteURL {
  /// Of the only app that takes it: in `android-app://PACKAGE/…`, and in the part of `intent:` after `#Intent;`.
  fileprivate var androidPackage: String? {
    switch scheme {
    case "android-app": return String(text.dropFirst("android-app://".count).prefix { !"/?#".contains($0) })
    case "intent":
      let parts = text.split(separator: "#Intent;", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      let names = parts[1].split(separator: ";").filter { $0.hasPrefix("package=") }.map { $0.dropFirst(8) }
      return names.count == 1 ? names.first.map(String.init) : nil
    default: return nil
    }
  }
}

extension Decision<Bool> {
  static func managed(_ isManaged: Bool, _ setting: SettingName) -> Decision {
    Decision(isManaged, isManaged ? .appIsManaged : .appNotManaged, setting)
  }
}

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
