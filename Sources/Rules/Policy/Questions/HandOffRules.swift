import Model
import Support

/// A policy's rules about the apps that may open addresses, in the form that questions read.
struct HandOffRules: Sendable {
  /// The app that the policy sends the addresses of a scheme to.
  struct Redirection: Sendable {
    enum Target: Sendable {
      case scheme(String)
      /// An Android package.
      case package(String)
    }

    let target: Target
    let setting: SettingName
  }

  let dialer: PhoneNumberRedirectLevel?
  let messaging: MessagingRedirectAppType?
  /// The schemes of apps that the policy names, with the setting that names them.
  let namedSchemes: [String: SettingName]
  /// The Android packages that the policy names, with the setting that names them.
  let namedPackages: [String: SettingName]
  let redirections: [String: Redirection]
  /// The setting that names a browser besides the managed one; nil if none does.
  let customBrowser: SettingName?
  /// The schemes that any app may open.
  let exemptSchemes: Set<String>
  let managedLinks: [LinkPattern]
  let exemptLinks: [LinkPattern]

  init(_ policy: EffectivePolicy) {
    dialer = policy.value(of: .dialerRestrictionLevel)?.word()
    messaging = policy.value(of: .protectedMessagingRedirectAppType)?.word()
    redirections = policy.redirections
    var (schemes, packages) = (policy.managedBrowserSchemes, [String: SettingName]())
    for redirection in redirections.values {
      switch redirection.target {
      case .scheme(let scheme): schemes[scheme] = redirection.setting
      case .package(let package): packages[package] = redirection.setting
      }
    }
    (namedSchemes, namedPackages) = (schemes, packages)
    customBrowser = policy.customBrowser?.setting
    exemptSchemes = Set(policy.value(of: .exemptedAppProtocols)?.pairsValue?.exemptSchemes ?? [])
    managedLinks = (policy.value(of: .managedUniversalLinks)?.stringsValue ?? []).map(LinkPattern.init)
    exemptLinks = (policy.value(of: .exemptedUniversalLinks)?.stringsValue ?? []).map(LinkPattern.init)
  }
}

extension HandOffRules {
  var hasLinks: Bool { !managedLinks.isEmpty || !exemptLinks.isEmpty }
}

extension PolicyDocument {
  /// The exempt schemes that another setting would restrict, with that setting. The exemption wins.
  package var exemptionsThatWin: [(scheme: String, setting: SettingName)] {
    guard SettingName.exemptedAppProtocols.definition.kinds.contains(kind) else { return [] }
    let dialer: PhoneNumberRedirectLevel? = settings[.dialerRestrictionLevel]?.word()
    let messaging: MessagingRedirectAppType? = settings[.protectedMessagingRedirectAppType]?.word()
    return (settings[.exemptedAppProtocols]?.pairsValue?.exemptSchemes ?? []).compactMap { scheme in
      switch scheme {
      case "tel", "telprompt": (dialer ?? .allApps) == .allApps ? nil : (scheme, .dialerRestrictionLevel)
      case "sms": (messaging ?? .anyApp) == .anyApp ? nil : (scheme, .protectedMessagingRedirectAppType)
      default: nil
      }
    }
  }
}

extension EffectivePolicy {
  fileprivate var redirections: [String: HandOffRules.Redirection] {
    var redirections = browserRedirections
    if value(of: .dialerRestrictionLevel)?.word() == PhoneNumberRedirectLevel.customApp {
      let dialer = app(.customDialerAppProtocol, package: .customDialerAppPackageId)
      for number in ["tel", "telprompt"] { redirections[number] = dialer }
    }
    if value(of: .protectedMessagingRedirectAppType)?.word() == MessagingRedirectAppType.specificApps {
      redirections["sms"] = app(.messagingRedirectAppUrlScheme, package: .messagingRedirectAppPackageId)
    }
    return redirections
  }

  /// To the browser that the policy names, else to Microsoft Edge, the managed browser.
  private var browserRedirections: [String: HandOffRules.Redirection] {
    guard requiresBrowser else { return [:] }
    switch customBrowser?.target {
    case .scheme(let scheme):
      return Self.browser(scheme, scheme + "s", .customBrowserProtocol)
    case .package(let package):
      let browser = HandOffRules.Redirection(target: .package(package), setting: .customBrowserPackageId)
      return ["http": browser, "https": browser]
    case nil:
      return Self.browser("microsoft-edge-http", "microsoft-edge-https", .managedBrowserToOpenLinksRequired)
    }
  }

  private static func browser(
    _ http: String, _ https: String, _ setting: SettingName
  ) -> [String: HandOffRules.Redirection] {
    ["http": http, "https": https].mapValues { HandOffRules.Redirection(target: .scheme($0), setting: setting) }
  }

  /// The scheme that Microsoft Edge opens besides rewritten links.
  fileprivate var managedBrowserSchemes: [String: SettingName] {
    guard requiresBrowser, customBrowser == nil else { return [:] }
    return ["microsoft-edge": .managedBrowserToOpenLinksRequired]
  }

  private var requiresBrowser: Bool { value(of: .managedBrowserToOpenLinksRequired) == .bool(true) }

  /// The browser that the policy names, whether it requires it or not.
  fileprivate var customBrowser: HandOffRules.Redirection? {
    app(.customBrowserProtocol, package: .customBrowserPackageId)
  }

  /// The app that a policy names: on Android by its package, elsewhere by its scheme.
  private func app(_ scheme: SettingName, package: SettingName) -> HandOffRules.Redirection? {
    guard platform != .android else {
      guard let id = value(of: package)?.stringValue?.trimmedASCII, id.isPackageID else { return nil }
      return HandOffRules.Redirection(target: .package(id), setting: package)
    }
    guard let text = value(of: scheme)?.stringValue.flatMap({ $0[...].scheme }), AbsoluteURL(text + ":") != nil else {
      return nil
    }
    return HandOffRules.Redirection(target: .scheme(text), setting: scheme)
  }
}

extension [KeyValuePair] {
  /// The schemes in an administrator's list of exemptions.
  fileprivate var exemptSchemes: [String] { flatMap { $0.value.split(separator: ";") }.compactMap(\.scheme) }
}

extension Substring {
  /// The scheme in an administrator's text: "skype", "skype:" and " skype:// " are equal. Nil if there is none.
  fileprivate var scheme: String? {
    let text = prefix { $0 != ":" }.filter { !$0.isWhitespace }
    return text.isEmpty ? nil : text.lowercasedASCII
  }
}

extension String {
  /// Whether the text can be the id of an Android package.
  fileprivate var isPackageID: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        byte.isAlphanumeric || "._".utf8.contains(byte)
      }
  }
}
