import JSON

/// A setting of the app, in the order in which the SDK documents them; those that are only properties last.
///
/// A new one is a case here, and its row in `row`.
public enum SettingKey: Int, CaseIterable, Hashable, Sendable {
  // Authentication.
  case adalClientId, adalAuthority, adalRedirectUri, adalRedirectScheme, adalLogOverrideDisabled
  case adalCacheKeychainGroupOverride, appGroupIdentifiers, containingAppBundleId

  // Enrollment.
  case autoEnrollOnLaunch, mamPolicyRequired, mamPolicyWarnAbsent, multiIdentity, multiIdentityCancelDisabled
  case multipleManagedAccounts, debugSettingsEnabled

  // Appearance.
  case splashIconFile, splashIconFileForIPad, splashDuration, backgroundColor, foregroundColor, accentColor
  case secondaryBackgroundColor, secondaryForegroundColor, supportsDarkMode, mainNibFile, mainNibFileForIPad
  case mainStoryboardFile, mainStoryboardFileForIPad

  // Behavior.
  case safariViewControllerBlockedOverride, maxFileProtectionLevel, openInActionExtension, treatAllWebViewsAsUnmanaged
  case webViewHandledURLSchemes, documentBrowserFileCachePath, finishLaunchingAtStartup

  // Diagnosis.
  case mamTelemetryDisabled, mamTelemetryUsePPE, verboseLoggingEnabled, valuesToScrubFromLogging

  // Properties alone.
  case aadAuthorityUriOverride, aadRedirectUriOverride, aadClientIdOverride, telemetryEnabled
}

extension SettingKey {
  /// What is known of a setting.
  private struct Row: Sendable {
    let name: String
    let type: SettingForm
    let defaultValue: JSONValue
    let isIOSOnly: Bool
    let property: String?
    let meaning: String

    init(
      _ name: String, _ type: SettingForm, default defaultValue: JSONValue = .null, iosOnly: Bool = false,
      isProperty: Bool = false, _ meaning: String
    ) {
      self.name = name
      self.type = type
      self.defaultValue = defaultValue
      isIOSOnly = iosOnly
      property = isProperty ? name.prefix(1).lowercased() + name.dropFirst() : nil
      self.meaning = meaning
    }
  }

  private static let rows = allCases.map(\.row)

  private static let byName = Dictionary(
    allCases.map { ($0.name.withCapitalFirstLetter, $0) }, uniquingKeysWith: { first, _ in first })

  /// By the name in Info.plist or the property's, which differ in the case of the first letter; nil when unknown.
  public init?(named name: String) {
    guard let key = Self.byName[name.withCapitalFirstLetter] else { return nil }
    self = key
  }

  /// In Info.plist; the property's where there is only that.
  public var name: String { Self.rows[rawValue].name }
  public var type: SettingForm { Self.rows[rawValue].type }
  /// What holds without a value; null when nothing does.
  public var defaultValue: JSONValue { Self.rows[rawValue].defaultValue }
  /// Whether it means something on iOS only: it is kept and shown. The others decide something here, or in the host.
  public var isIOSOnly: Bool { Self.rows[rawValue].isIOSOnly }
  /// The name of the SDK's property; nil where there is none.
  public var property: String? { Self.rows[rawValue].property }
  public var meaning: String { Self.rows[rawValue].meaning }

  /// About the sign-in of an account: overriding them ends with the enrollment.
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
        "The authority that signs users in, when the app does not use the common one.")
    case .adalRedirectUri:
      Row("ADALRedirectUri", .url, "The redirect URI of the app's registration; replaces ADALRedirectScheme.")
    case .adalRedirectScheme:
      Row("ADALRedirectScheme", .string, "The scheme of the redirect URI, which is then scheme://bundle-id.")
    case .adalLogOverrideDisabled:
      Row(
        "ADALLogOverrideDisabled", .bool, default: false, iosOnly: true,
        "Whether the log of the authentication library stays with the app instead of going to this log.")
    case .adalCacheKeychainGroupOverride:
      Row(
        "ADALCacheKeychainGroupOverride", .string, iosOnly: true,
        "The keychain group of the token cache, instead of com.microsoft.adalcache.")
    case .appGroupIdentifiers:
      Row("AppGroupIdentifiers", .stringList, iosOnly: true, "The app groups of the app's entitlements.")
    case .containingAppBundleId:
      Row(
        "ContainingAppBundleId", .string, iosOnly: true,
        "In an extension: the bundle id of the app that contains it.")

    // Enrollment.
    case .autoEnrollOnLaunch:
      Row(
        "AutoEnrollOnLaunch", .bool, default: false,
        "Whether a managed identity that is already signed in is enrolled at start.")
    case .mamPolicyRequired:
      Row(
        "MAMPolicyRequired", .bool, default: false,
        "Whether the app is blocked until there is policy. Not for apps of the App Store.")
    case .mamPolicyWarnAbsent:
      Row("MAMPolicyWarnAbsent", .bool, default: false, "Whether the user is warned when there is no policy.")
    case .multiIdentity:
      Row("MultiIdentity", .bool, default: false, "Whether the app keeps managed and unmanaged accounts apart.")
    case .multiIdentityCancelDisabled:
      Row(
        "MultiIdentityCancelDisabled", .bool, default: false,
        "Whether a user cannot cancel a switch of identity, so that \"canceled\" never is the result.")
    case .multipleManagedAccounts:
      Row(
        "MultipleManagedAccounts", .bool, default: false,
        "Whether a second account may be enrolled, which is status 227 otherwise. A setting of this server.")
    case .debugSettingsEnabled:
      Row(
        "DebugSettingsEnabled", .bool, default: false,
        "Whether debug.* may set test policies. Not for released apps.")

    // Appearance.
    case .splashIconFile:
      Row("SplashIconFile", .string, iosOnly: true, "The icon that is shown while policy is fetched at start.")
    case .splashIconFileForIPad: Row("SplashIconFile~ipad", .string, iosOnly: true, "The same on an iPad.")
    case .splashDuration:
      Row("SplashDuration", .number, default: 1.5, iosOnly: true, "How long that icon is shown at least, in seconds.")
    case .backgroundColor:
      Row("BackgroundColor", .color, isProperty: true, "The background of prompts; without it the system's.")
    case .foregroundColor:
      Row("ForegroundColor", .color, isProperty: true, "The text of prompts; without it the system's.")
    case .accentColor:
      Row("AccentColor", .color, isProperty: true, "Buttons and highlights of prompts; without it the system's.")
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
    case .mainNibFile: Row("MainNibFile", .string, iosOnly: true, "The main nib, moved here by older configurators.")
    case .mainNibFileForIPad: Row("MainNibFile~ipad", .string, iosOnly: true, "The same on an iPad.")
    case .mainStoryboardFile:
      Row("MainStoryboardFile", .string, iosOnly: true, "The main storyboard, moved here by older configurators.")
    case .mainStoryboardFileForIPad: Row("MainStoryboardFile~ipad", .string, iosOnly: true, "The same on an iPad.")

    // Behavior.
    case .safariViewControllerBlockedOverride:
      Row(
        "SafariViewControllerBlockedOverride", .bool, default: false, iosOnly: true,
        "Whether the app may show managed pages in Safari's view although policy asks for a managed browser.")
    case .maxFileProtectionLevel:
      Row(
        "MaxFileProtectionLevel", .string, default: "NSFileProtectionComplete", iosOnly: true,
        "The strictest NSFileProtectionType that the app can bear.")
    case .openInActionExtension:
      Row("OpenInActionExtension", .bool, default: false, iosOnly: true, "Whether this is an open-in action extension.")
    case .treatAllWebViewsAsUnmanaged:
      Row("TreatAllWebViewsAsUnmanaged", .bool, default: false, "Whether every web view counts as unmanaged.")
    case .webViewHandledURLSchemes:
      Row("WebViewHandledURLSchemes", .stringList, "The schemes that the app's web views handle themselves.")
    case .documentBrowserFileCachePath:
      Row(
        "DocumentBrowserFileCachePath", .string, default: "/Documents/", iosOnly: true,
        "Where a document browser's files are decrypted to, below the app's container.")
    case .finishLaunchingAtStartup:
      Row(
        "FinishLaunchingAtStartup", .bool, default: false, iosOnly: true,
        "Whether the app finishes launching before the first prompts.")

    // Diagnosis.
    case .mamTelemetryDisabled:
      Row("MAMTelemetryDisabled", .bool, default: false, "Whether no telemetry event goes to the host's delegate.")
    case .mamTelemetryUsePPE:
      Row(
        "MAMTelemetryUsePPE", .bool, default: false,
        "Whether telemetry events are marked as those of a test environment.")
    case .verboseLoggingEnabled:
      Row(
        "VerboseLoggingEnabled", .bool, default: false,
        "Whether verbose lines are logged, with personal data in clear.")
    case .valuesToScrubFromLogging:
      Row(
        "ValuesToScrubFromLogging", .stringList, isProperty: true,
        "Names of keys whose values the log and diagnostics show as ***: with apiKey, apiKey=blue becomes apiKey=***.")

    // Properties alone.
    case .aadAuthorityUriOverride:
      Row(
        "aadAuthorityUriOverride", .url, isProperty: true,
        "Wins over ADALAuthority; ends when the account is unenrolled.")
    case .aadRedirectUriOverride:
      Row(
        "aadRedirectUriOverride", .url, isProperty: true,
        "Wins over ADALRedirectUri; ends when the account is unenrolled.")
    case .aadClientIdOverride:
      Row(
        "aadClientIdOverride", .string, isProperty: true,
        "Wins over ADALClientId; ends when the account is unenrolled.")
    case .telemetryEnabled:
      Row(
        "telemetryEnabled", .bool, default: true, isProperty: true,
        "Whether telemetry events go to the host's delegate; MAMTelemetryDisabled stops them, too.")
    }
  }
}

extension String {
  fileprivate var withCapitalFirstLetter: String { prefix(1).uppercased() + dropFirst() }
}
