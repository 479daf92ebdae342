import Model

/// To which apps a policy lets addresses be handed, in the form that questions read.
struct HandOffRules: Sendable {
  let dialer: PhoneNumberRedirectLevel?
  let messaging: MessagingRedirectAppType?
  /// Schemes of the apps that the policy itself names, with the setting that does.
  let namedSchemes: [String: SettingName]
  /// Schemes that any app may take.
  let exemptSchemes: Set<String>
  let managedLinks: [LinkPattern]
  let exemptLinks: [LinkPattern]

  init(_ policy: EffectivePolicy) {
    dialer = policy.value(of: .dialerRestrictionLevel)?.word()
    messaging = policy.value(of: .protectedMessagingRedirectAppType)?.word()
    namedSchemes = policy.namedSchemes
    let exempt = policy.value(of: .exemptedAppProtocols)?.pairsValue ?? []
    exemptSchemes = Set(exempt.flatMap { $0.value.split(separator: ";") }.compactMap(\.scheme))
    managedLinks = (policy.value(of: .managedUniversalLinks)?.stringsValue ?? []).map(LinkPattern.init)
    exemptLinks = (policy.value(of: .exemptedUniversalLinks)?.stringsValue ?? []).map(LinkPattern.init)
  }
}

extension EffectivePolicy {
  /// Microsoft Edge, which is the managed browser where no other is named.
  private static let managedBrowser = ["microsoft-edge", "microsoft-edge-http", "microsoft-edge-https"]

  fileprivate var namedSchemes: [String: SettingName] {
    var named: [String: SettingName] = [:]
    if value(of: .managedBrowserToOpenLinksRequired) == .bool(true) {
      if let browser = scheme(.customBrowserProtocol) {
        // What https:// becomes has an s more.
        for scheme in [browser, browser + "s"] { named[scheme] = .customBrowserProtocol }
      } else {
        for scheme in Self.managedBrowser { named[scheme] = .managedBrowserToOpenLinksRequired }
      }
    }
    if value(of: .dialerRestrictionLevel)?.word() == PhoneNumberRedirectLevel.customApp {
      if let dialer = scheme(.customDialerAppProtocol) { named[dialer] = .customDialerAppProtocol }
    }
    if value(of: .protectedMessagingRedirectAppType)?.word() == MessagingRedirectAppType.specificApps {
      if let app = scheme(.messagingRedirectAppUrlScheme) { named[app] = .messagingRedirectAppUrlScheme }
    }
    return named
  }

  private func scheme(_ name: SettingName) -> String? { value(of: name)?.stringValue.flatMap { $0[...].scheme } }
}

extension Substring {
  /// Of what an administrator wrote: "skype", "skype:" and " skype:// " alike. Nil for nothing.
  fileprivate var scheme: String? {
    let text = prefix { $0 != ":" }.filter { !$0.isWhitespace }
    return text.isEmpty ? nil : text.lowercasedASCII
  }
}
