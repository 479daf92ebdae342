import Model

extension PolicyQuestions {
  /// Whether an address may be handed to the app that opens it. `isManaged` says whether the app is known to be managed;
  /// a scheme that ends in -intunemam also shows that it is.
  package func isURLAllowed(_ url: AbsoluteURL, toManagedApp isManaged: Bool) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isURLAllowed) }
    guard let policy else { return Decision(true, .unmanaged) }
    let isManaged = isManaged || url.scheme.hasSuffix("-intunemam")
    return switch url.scheme {
    case "http", "https": policy.webRule
    // The documents say to remove these schemes from the exemptions to restrict them.
    case "tel", "telprompt": policy.exemption(url.scheme) ?? policy.dialerRule(url.scheme, isManaged).leaving(.dialer)
    case "sms": policy.exemption(url.scheme) ?? policy.messagingRule(url.scheme, isManaged).leaving(.messaging)
    default: policy.namedRule(url.scheme) ?? policy.otherRule(url, isManaged)
    }
  }

  /// Whether a web link may open the app that claims it, instead of a browser.
  package func isUniversalLinkAllowed(_ url: AbsoluteURL) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isUniversalLinkAllowed) }
    guard let policy else { return Decision(true, .unmanaged) }
    if let decision = policy.listedLink(url), decision.rule != .managedLink || policy.send.apps == .managedApps {
      return decision
    }
    return policy.send.forApp(isManaged: false, otherwise: .linkNotListed).leaving(.links)
  }

  /// False only if the picker is for importing and no data may come in, or for exporting and no data may go out.
  package func isDocumentPickerAllowed(_ mode: DocumentPickerMode) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isDocumentPickerAllowed) }
    guard let policy else { return Decision(true, .unmanaged) }
    let level = mode.bringsDataIn ? policy.receive : policy.send
    if policy.confines(level) { return Decision(true, .withinOrganization, level.setting) }
    let isDecided = level.apps == nil || level.admitsNoApp
    return (isDecided ? level.general : nil) ?? Decision(true, .settingDecides, level.setting)
  }
}

extension CompiledPolicy {
  /// Nil if no list has the link, or if the link is of a managed app and no app may have data.
  func listedLink(_ url: AbsoluteURL) -> Decision<Bool>? {
    guard handOff.hasLinks, let link = WebAddress(url.text) else { return nil }
    if handOff.exemptLinks.contains(where: { $0.matches(link) }) {
      return Decision(true, .exemptLink, .exemptedUniversalLinks)
    }
    guard !send.admitsNoApp, handOff.managedLinks.contains(where: { $0.matches(link) }) else { return nil }
    return Decision(true, .managedLink, .managedUniversalLinks)
  }

  fileprivate var webRule: Decision<Bool> {
    guard isManagedBrowserRequired, let custom = handOff.customBrowser else {
      return Decision(!isManagedBrowserRequired, .settingDecides, .managedBrowserToOpenLinksRequired).leaving(.browser)
    }
    return Decision(false, .namedAppOnly, custom)
  }

  fileprivate func dialerRule(_ scheme: String, _ isManaged: Bool) -> Decision<Bool> {
    switch handOff.dialer {
    case nil: unrestricted(true, by: .dialerRestrictionLevel)
    case .allApps: Decision(true, .settingDecides, .dialerRestrictionLevel)
    case .managedApps: .managed(isManaged, .dialerRestrictionLevel)
    case .customApp: namedRule(scheme) ?? Decision(false, .namedAppOnly, .dialerRestrictionLevel)
    case .blocked: Decision(false, .settingDecides, .dialerRestrictionLevel)
    }
  }

  fileprivate func messagingRule(_ scheme: String, _ isManaged: Bool) -> Decision<Bool> {
    switch handOff.messaging {
    case nil: unrestricted(true, by: .protectedMessagingRedirectAppType)
    case .anyApp: Decision(true, .settingDecides, .protectedMessagingRedirectAppType)
    case .anyManagedApp: .managed(isManaged, .protectedMessagingRedirectAppType)
    case .specificApps: namedRule(scheme) ?? Decision(false, .namedAppOnly, .protectedMessagingRedirectAppType)
    case .blocked: Decision(false, .settingDecides, .protectedMessagingRedirectAppType)
    }
  }

  /// An address of an app that the policy names is allowed: the policy sends links, numbers or messages there.
  fileprivate func namedRule(_ scheme: String) -> Decision<Bool>? {
    handOff.namedSchemes[scheme].map { Decision(true, .isNamedApp, $0) }
  }

  fileprivate func exemption(_ scheme: String) -> Decision<Bool>? {
    handOff.exemptSchemes.contains(scheme) ? Decision(true, .exemptScheme, .exemptedAppProtocols) : nil
  }

  fileprivate func otherRule(_ url: AbsoluteURL, _ isManaged: Bool) -> Decision<Bool> {
    if let exemption = exemption(url.scheme) { return exemption }
    if effective.platform == .android, let package = url.androidPackage, let decision = packageRule(package) {
      return decision
    }
    return send.forApp(isManaged: isManaged).leaving(.exemptions)
  }

  private func packageRule(_ package: String) -> Decision<Bool>? {
    if let setting = handOff.namedPackages[package] { return Decision(true, .isNamedApp, setting) }
    return exemption(ofPackage: package)
  }

  /// The decision about an Android app that may have data whether it is managed or not; nil for other apps.
  func exemption(ofPackage package: String) -> Decision<Bool>? {
    if ActionRules.alwaysExempt.contains(package) { return Decision(true, .alwaysExempt) }
    return actions.exemptPackages.contains(package) ? Decision(true, .exemptApp, .exemptedAppPackages) : nil
  }
}

extension AbsoluteURL {
  /// The package of the only app that opens the address: in `android-app://PACKAGE/…`, and in `intent:` after `#Intent;`.
  fileprivate var androidPackage: String? {
    switch scheme {
    case "android-app": return String(text.dropFirst("android-app://".count).prefix { !"/?#".contains($0) })
    case "intent":
      // Android reads what follows the last "#", up to "end". A component, or a selector, could name another app.
      guard let mark = text.lastIndex(of: "#"), text[mark...].hasPrefix("#Intent;") else { return nil }
      let parts = text[mark...].split(separator: ";").dropFirst().prefix { $0 != "end" }
      guard !parts.contains(where: { $0 == "SEL" || $0.hasPrefix("component=") }) else { return nil }
      let names = parts.filter { $0.hasPrefix("package=") }.map { $0.dropFirst("package=".count) }
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

/// What happens to an address, and the address that is opened.
package struct URLOpening: Hashable, Sendable {
  package let action: URLAction
  /// The given address, or the rewritten one.
  package let url: AbsoluteURL
  /// The only Android app that may open the address; nil if the address is not for one package.
  package var package: String?
}

extension Decision<URLOpening> {
  /// The message to the user if nothing is opened, or if no app is installed that opens the address.
  package func refusal(in language: Language) -> Refusal? {
    value.action == .open ? nil : Reason(self).refusal?.refusal(in: language)
  }
}

extension PolicyQuestions {
  /// What happens to an address that the app is about to open. `isManaged` is as in `isURLAllowed`.
  ///
  /// A web link that the policy lists opens the app that claims it, whatever browser the policy requires.
  package func opening(_ url: AbsoluteURL, toManagedApp isManaged: Bool) -> Decision<URLOpening> {
    if isLockedDown { return .lockedDown(LockDown.opening(url)) }
    if let link = policy?.listedLink(url) { return link.map { _ in URLOpening(action: .open, url: url) } }
    let decision = isURLAllowed(url, toManagedApp: isManaged)
    guard !decision.value, let redirection = policy?.handOff.redirections[url.scheme] else {
      return decision.map { URLOpening(action: $0 ? .open : .block, url: url) }
    }
    let rewritten =
      switch redirection.target {
      case .scheme(let scheme): URLOpening(action: .rewrite, url: url.replacingScheme(by: scheme))
      case .package(let package): URLOpening(action: .rewrite, url: url.intent(for: package), package: package)
      }
    return Decision(rewritten, .goesToNamedApp, redirection.setting)
  }
}

extension LockDown {
  /// Web links are rewritten for the managed browser; nothing else is opened.
  fileprivate static func opening(_ url: AbsoluteURL) -> URLOpening {
    guard let scheme = browserSchemes[url.scheme] else { return URLOpening(action: .block, url: url) }
    return URLOpening(action: .rewrite, url: url.replacingScheme(by: scheme))
  }
}
