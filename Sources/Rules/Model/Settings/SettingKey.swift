import JSON

/// The settings of the app, in the order of the SDK's documentation. Settings that are only properties come last.
///
/// A new setting is a case here and a row in `row`.
package enum SettingKey: Int, CaseIterable, Hashable, Sendable {
  // Authentication.
  case adalClientId, adalAuthority, adalRedirectUri, adalRedirectScheme, adalLogOverrideDisabled
  case adalCacheKeychainGroupOverride, appGroupIdentifiers, containingAppBundleId

  // Enrollment.
  case autoEnrollOnLaunch, mamPolicyRequired, mamPolicyWarnAbsent, multiIdentity, multiIdentityCancelDisabled
  case multiManagedIdentities, debugSettingsEnabled, sdkLevel, strictMode

  // Appearance.
  case splashIconFile, splashIconFileForIPad, splashDuration, backgroundColor, foregroundColor, accentColor
  case secondaryBackgroundColor, secondaryForegroundColor, supportsDarkMode, mainNibFile, mainNibFileForIPad
  case mainStoryboardFile, mainStoryboardFileForIPad

  // Behavior.
  case safariViewControllerBlockedOverride, maxFileProtectionLevel, openInActionExtension, treatAllWebViewsAsUnmanaged
  case webViewHandledURLSchemes, documentBrowserFileCachePath, finishLaunchingAtStartup

  // Diagnostics.
  case mamTelemetryDisabled, mamTelemetryUsePPE, verboseLoggingEnabled, valuesToScrubFromLogging

  // Only properties.
  case aadAuthorityUriOverride, aadRedirectUriOverride, aadClientIdOverride, telemetryEnabled
}

extension SettingKey {
  /// The facts about a setting.
  private struct Row: Sendable {
    let name: String
    let type: SettingForm
    let defaultValue: JSONValue
    let isIOSOnly: Bool
    let isProperty: Bool
    let meaning: String

    init(
      _ name: String, _ type: SettingForm, default defaultValue: JSONValue = .null, iosOnly: Bool = false,
      isProperty: Bool = false, _ meaning: String
    ) {
      self.name = name
      self.type = type
      self.defaultValue = defaultValue
      isIOSOnly = iosOnly
      self.isProperty = isProperty
      self.meaning = meaning
    }
  }

  private static let rows = allCases.map(\.row)

  private static let byName = Dictionary(
    allCases.flatMap { key in ([key.name] + key.aliases).map { ($0.withCapitalFirstLetter, key) } },
    uniquingKeysWith: { first, _ in first })

  /// Finds a setting by its Info.plist key, its property or an older name. The first letter may be in either case.
  /// `nil` if unknown.
  package init?(named name: String) {
    guard let key = Self.byName[name.withCapitalFirstLetter] else { return nil }
    self = key
  }

  /// The name in Info.plist, or the name of the property if there is only that.
  package var name: String { Self.rows[rawValue].name }
  package var type: SettingForm { Self.rows[rawValue].type }
  /// The value if none is set; null if there is none.
  package var defaultValue: JSONValue { Self.rows[rawValue].defaultValue }
  /// Whether the setting has a meaning only on iOS: it is kept and shown. Other settings decide something in the server
  /// or in the host.
  package var isIOSOnly: Bool { Self.rows[rawValue].isIOSOnly }
  /// The name of the SDK's property; `nil` if there is none.
  package var property: String? {
    Self.rows[rawValue].isProperty ? name.prefix(1).lowercased() + name.dropFirst() : nil
  }
  package var meaning: String { Self.rows[rawValue].meaning }
  /// Names that the setting had before, which still work.
  package var aliases: [String] { self == .multiManagedIdentities ? ["MultipleManagedAccounts"] : [] }

  /// A sentence about the use of an older name; `nil` if `name` is a current name of the setting.
  package func warning(about name: String) -> String? {
    guard aliases.contains(where: { $0.withCapitalFirstLetter == name.withCapitalFirstLetter }) else { return nil }
    return "\(name) is an older name of the setting \(self.name); use \(self.name)."
  }

  /// Settings about the sign-in of an account. Their overrides end with the enrollment.
  package static let accountOverrides: [SettingKey] = [
    .aadAuthorityUriOverride, .aadRedirectUriOverride, .aadClientIdOverride,
  ]

  /// The table of all settings.
  private var row: Row {
    switch self {
    // Authentication.
    case .adalClientId: Row("ADALClientId", .string, "The client id of the app's registration with Microsoft Entra.")
    case .adalAuthority:
      Row(
        "ADALAuthority", .url, default: "https://login.microsoftonline.com/common",
        "The authority that signs users in, if the app does not use the common authority.")
    case .adalRedirectUri:
      Row("ADALRedirectUri", .url, "The redirect URI of the app's registration. It replaces ADALRedirectScheme.")
    case .adalRedirectScheme:
      Row("ADALRedirectScheme", .string, "The scheme of the redirect URI, which is then SCHEME://BUNDLE-ID.")
    case .adalLogOverrideDisabled:
      Row(
        "ADALLogOverrideDisabled", .bool, default: false, iosOnly: true,
        "Whether the app keeps the log of the authentication library, instead of adding it to this log.")
    case .adalCacheKeychainGroupOverride:
      Row(
        "ADALCacheKeychainGroupOverride", .string, iosOnly: true,
        "The keychain group of the token cache, instead of com.microsoft.adalcache.")
    case .appGroupIdentifiers:
      Row("AppGroupIdentifiers", .stringList, iosOnly: true, "The app groups in the app's entitlements.")
    case .containingAppBundleId:
      Row(
        "ContainingAppBundleId", .string, iosOnly: true,
        "For an extension: the bundle id of the app that contains it.")

    // Enrollment.
    case .autoEnrollOnLaunch:
      Row(
        "AutoEnrollOnLaunch", .bool, default: false,
        "Whether a managed identity that is already signed in is enrolled at launch.")
    case .mamPolicyRequired:
      Row(
        "MAMPolicyRequired", .bool, default: false,
        "Whether the app is blocked until it has a policy. Not for App Store apps.")
    case .mamPolicyWarnAbsent:
      Row("MAMPolicyWarnAbsent", .bool, default: false, "Whether the user is warned if there is no policy.")
    case .multiIdentity:
      Row("MultiIdentity", .bool, default: false, "Whether the app keeps managed and unmanaged accounts apart.")
    case .multiIdentityCancelDisabled:
      Row(
        "MultiIdentityCancelDisabled", .bool, default: false,
        "Whether the user cannot cancel a switch of identity, so that the result is never \"canceled\".")
    case .multiManagedIdentities:
      Row(
        "MultiManagedIdentities", .bool, default: false,
        """
        Whether several accounts may be enrolled and shown together. Otherwise a second account ends with status 227, \
        and on a managed device with 210. IntuneMAMAllowedAccountsOnly in the configuration of a managed device \
        switches it off. If the setting sdkLevel is 21, it implies MultiIdentity. Its older name is \
        MultipleManagedAccounts.
        """)
    case .debugSettingsEnabled:
      Row(
        "DebugSettingsEnabled", .bool, default: false,
        "Whether debug.* may set test policies. Not for released apps.")
    case .sdkLevel:
      Row(
        "sdkLevel", .sdkLevel, default: .integer(Int64(SDKLevel.sdk19.rawValue)),
        """
        The generation of the SDK that the app was written against, where generations contradict each other; \
        initialize can name another for its connection. Specific to this server.
        """)
    case .strictMode:
      Row(
        "StrictMode", .strictMode, default: .string(StrictHandling.off.rawValue),
        """
        What happens when a call shows a mistake in the host: nothing, an event, or also an error. For development, not \
        for released apps. Specific to this server.
        """)

    // Appearance.
    case .splashIconFile:
      Row("SplashIconFile", .string, iosOnly: true, "The icon that is shown while policy is fetched at launch.")
    case .splashIconFileForIPad: Row("SplashIconFile~ipad", .string, iosOnly: true, "SplashIconFile for an iPad.")
    case .splashDuration:
      Row(
        "SplashDuration", .number, default: 1.5, iosOnly: true,
        "The minimum time that the splash icon is shown, in seconds.")
    case .backgroundColor:
      Row("BackgroundColor", .color, isProperty: true, "The background of prompts; defaults to the system's.")
    case .foregroundColor:
      Row("ForegroundColor", .color, isProperty: true, "The text of prompts; defaults to the system's.")
    case .accentColor:
      Row("AccentColor", .color, isProperty: true, "The buttons and highlights of prompts; defaults to the system's.")
    case .secondaryBackgroundColor:
      Row(
        "SecondaryBackgroundColor", .color, default: "#FFFFFF", isProperty: true,
        "The secondary background of launch screens.")
    case .secondaryForegroundColor:
      Row(
        "SecondaryForegroundColor", .color, default: "#808080", isProperty: true,
        "The secondary text, such as footnotes.")
    case .supportsDarkMode:
      Row("SupportsDarkMode", .bool, default: true, "Whether prompts follow the system's dark mode.")
    case .mainNibFile: Row("MainNibFile", .string, iosOnly: true, "The main nib, which older configurators moved here.")
    case .mainNibFileForIPad: Row("MainNibFile~ipad", .string, iosOnly: true, "MainNibFile for an iPad.")
    case .mainStoryboardFile:
      Row("MainStoryboardFile", .string, iosOnly: true, "The main storyboard, which older configurators moved here.")
    case .mainStoryboardFileForIPad:
      Row("MainStoryboardFile~ipad", .string, iosOnly: true, "MainStoryboardFile for an iPad.")

    // Behavior.
    case .safariViewControllerBlockedOverride:
      Row(
        "SafariViewControllerBlockedOverride", .bool, default: false, iosOnly: true,
        "Whether the app may show managed pages in Safari's view although policy requires a managed browser.")
    case .maxFileProtectionLevel:
      Row(
        "MaxFileProtectionLevel", .string, default: "NSFileProtectionComplete", iosOnly: true,
        "The strictest NSFileProtectionType that the app can work with.")
    case .openInActionExtension:
      Row("OpenInActionExtension", .bool, default: false, iosOnly: true, "Whether this is an open-in action extension.")
    case .treatAllWebViewsAsUnmanaged:
      Row("TreatAllWebViewsAsUnmanaged", .bool, default: false, "Whether every web view counts as unmanaged.")
    case .webViewHandledURLSchemes:
      Row("WebViewHandledURLSchemes", .stringList, "The schemes that the app's web views handle themselves.")
    case .documentBrowserFileCachePath:
      Row(
        "DocumentBrowserFileCachePath", .string, default: "/Documents/", iosOnly: true,
        "The folder in the app's container where the files of a document browser are decrypted.")
    case .finishLaunchingAtStartup:
      Row(
        "FinishLaunchingAtStartup", .bool, default: false, iosOnly: true,
        "Whether the app finishes launching before the first prompts.")

    // Diagnostics.
    case .mamTelemetryDisabled:
      Row("MAMTelemetryDisabled", .bool, default: false, "Whether telemetry events are kept from the host's delegate.")
    case .mamTelemetryUsePPE:
      Row(
        "MAMTelemetryUsePPE", .bool, default: false,
        "Whether telemetry events are marked as coming from a test environment.")
    case .verboseLoggingEnabled:
      Row(
        "VerboseLoggingEnabled", .bool, default: false,
        "Whether verbose lines are logged, which contain personal data in clear.")
    case .valuesToScrubFromLogging:
      Row(
        "ValuesToScrubFromLogging", .stringList, isProperty: true,
        "Keys whose values the log and diagnostics show as ***: with apiKey, apiKey=blue becomes apiKey=***.")

    // Only properties.
    case .aadAuthorityUriOverride:
      Row(
        "aadAuthorityUriOverride", .url, isProperty: true,
        "Overrides ADALAuthority; ends when the account is unenrolled.")
    case .aadRedirectUriOverride:
      Row(
        "aadRedirectUriOverride", .url, isProperty: true,
        "Overrides ADALRedirectUri; ends when the account is unenrolled.")
    case .aadClientIdOverride:
      Row(
        "aadClientIdOverride", .string, isProperty: true,
        "Overrides ADALClientId; ends when the account is unenrolled.")
    case .telemetryEnabled:
      Row(
        "telemetryEnabled", .bool, default: true, isProperty: true,
        "Whether telemetry events go to the host's delegate. MAMTelemetryDisabled stops them too.")
    }
  }
}

extension String {
  fileprivate var withCapitalFirstLetter: String { prefix(1).uppercased() + dropFirst() }
}
