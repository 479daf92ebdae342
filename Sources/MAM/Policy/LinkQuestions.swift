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
    default: policy.namedRule(url.scheme) ?? policy.otherRule(url.scheme, isManaged)
    }
  }

  /// May a link of the web open the app that has claimed it, instead of a browser?
  package func isUniversalLinkAllowed(_ url: AbsoluteURL) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    if let link = WebAddress(url.text) {
      if policy.handOff.exemptLinks.contains(where: { $0.matches(link) }) {
        return Decision(true, .exemptLink, .exemptedUniversalLinks)
      }
      if policy.send == .managedApps, policy.handOff.managedLinks.contains(where: { $0.matches(link) }) {
        return Decision(true, .managedLink, .managedUniversalLinks)
      }
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

  fileprivate func otherRule(_ scheme: String, _ isManaged: Bool) -> Decision<Bool> {
    guard !handOff.exemptSchemes.contains(scheme) else { return Decision(true, .exemptScheme, .exemptedAppProtocols) }
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

extension Decision<Bool> {
  fileprivate static func managed(_ isManaged: Bool, _ setting: SettingName) -> Decision {
    Decision(isManaged, isManaged ? .appIsManaged : .appNotManaged, setting)
  }
}
