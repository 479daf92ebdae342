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
    if let decision = policy.listedLink(url), decision.rule != .managedLink || policy.send == .managedApps {
      return decision
    }
    return policy.sending(toManagedApp: false, otherwise: .linkNotListed)
  }

  /// False only where no data may come in, or none go out, whichever the picker is for.
  package func isDocumentPickerAllowed(_ mode: DocumentPickerMode) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    let (level, setting) =
      mode.bringsDataIn
      ? (policy.receive, SettingName.allowedInboundDataTransferSources)
      : (policy.send, .allowedOutboundDataTransferDestinations)
    guard let level else { return Decision(true, .nothingRestricts) }
    return level == .none ? Decision(false, .noAppAllowed, setting) : Decision(true, .settingDecides, setting)
  }
}

extension CompiledPolicy {
  /// Nil for what is no link of a list, and for one of a managed app where no app may have data.
  func listedLink(_ url: AbsoluteURL) -> Decision<Bool>? {
    guard handOff.hasLinks, let link = WebAddress(url.text) else { return nil }
    if handOff.exemptLinks.contains(where: { $0.matches(link) }) {
      return Decision(true, .exemptLink, .exemptedUniversalLinks)
    }
    guard send != .some(.none), handOff.managedLinks.contains(where: { $0.matches(link) }) else { return nil }
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
    return sending(toManagedApp: isManaged, otherwise: .appNotManaged)
  }

  /// What the level says of an app; `rule` where that is not known to be a managed one.
  fileprivate func sending(toManagedApp isManaged: Bool, otherwise rule: PolicyRule) -> Decision<Bool> {
    let setting = SettingName.allowedOutboundDataTransferDestinations
    return switch send {
    case nil: Decision(true, .nothingRestricts)
    case .allApps: Decision(true, .allAppsAllowed, setting)
    case .some(.none): Decision(false, .noAppAllowed, setting)
    case .managedApps: isManaged ? .managed(true, setting) : Decision(false, rule, setting)
    }
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
