import Model

/// A policy's rules about the apps that may open addresses, in the form that questions read.
struct HandOffRules: Sendable {
  let dialer: PhoneNumberRedirectLevel?
  let messaging: MessagingRedirectAppType?
  /// The schemes of apps that the policy names, with the setting that names them.
  let namedSchemes: [String: SettingName]
  /// For a scheme that the policy sends to an app it names, the scheme of that app.
  let redirections: [String: (scheme: String, setting: SettingName)]
  /// The schemes that any app may open.
  let exemptSchemes: Set<String>
  let managedLinks: [LinkPattern]
  let exemptLinks: [LinkPattern]

  init(_ policy: EffectivePolicy) {
    dialer = policy.value(of: .dialerRestrictionLevel)?.word()
    messaging = policy.value(of: .protectedMessagingRedirectAppType)?.word()
    redirections = policy.redirections
    namedSchemes = redirections.values.reduce(into: policy.managedBrowserSchemes) { $0[$1.scheme] = $1.setting }
    let exempt = policy.value(of: .exemptedAppProtocols)?.pairsValue ?? []
    exemptSchemes = Set(exempt.flatMap { $0.value.split(separator: ";") }.compactMap(\.scheme))
    managedLinks = (policy.value(of: .managedUniversalLinks)?.stringsValue ?? []).map(LinkPattern.init)
    exemptLinks = (policy.value(of: .exemptedUniversalLinks)?.stringsValue ?? []).map(LinkPattern.init)
  }
}

extension HandOffRules {
  var hasLinks: Bool { !managedLinks.isEmpty || !exemptLinks.isEmpty }
}

extension EffectivePolicy {
  fileprivate var redirections: [String: (scheme: String, setting: SettingName)] {
    var redirections = browserRedirections
    if value(of: .dialerRestrictionLevel)?.word() == PhoneNumberRedirectLevel.customApp {
      for number in ["tel", "telprompt"] { redirections[number] = app(.customDialerAppProtocol) }
    }
    if value(of: .protectedMessagingRedirectAppType)?.word() == MessagingRedirectAppType.specificApps {
      redirections["sms"] = app(.messagingRedirectAppUrlScheme)
    }
    return redirections
  }

  /// To the browser that the policy names, else to Microsoft Edge, the managed browser.
  private var browserRedirections: [String: (scheme: String, setting: SettingName)] {
    guard requiresBrowser else { return [:] }
    guard let browser = app(.customBrowserProtocol) else {
      let setting = SettingName.managedBrowserToOpenLinksRequired
      return ["http": ("microsoft-edge-http", setting), "https": ("microsoft-edge-https", setting)]
    }
    return ["http": browser, "https": (browser.scheme + "s", browser.setting)]
  }

  /// The scheme that Microsoft Edge opens besides rewritten links.
  fileprivate var managedBrowserSchemes: [String: SettingName] {
    guard requiresBrowser, app(.customBrowserProtocol) == nil else { return [:] }
    return ["microsoft-edge": .managedBrowserToOpenLinksRequired]
  }

  private var requiresBrowser: Bool { value(of: .managedBrowserToOpenLinksRequired) == .bool(true) }

  private func app(_ name: SettingName) -> (scheme: String, setting: SettingName)? {
    guard let scheme = value(of: name)?.stringValue.flatMap({ $0[...].scheme }) else { return nil }
    return AbsoluteURL(scheme + ":") == nil ? nil : (scheme, name)
  }
}

extension Substring {
  /// The scheme in an administrator's text: "skype", "skype:" and " skype:// " are equal. Nil if there is none.
  fileprivate var scheme: String? {
    let text = prefix { $0 != ":" }.filter { !$0.isWhitespace }
    return text.isEmpty ? nil : text.lowercasedASCII
  }
}
