extension SettingKey {
  public static let safariViewControllerBlockedOverride = SettingKey(
    "SafariViewControllerBlockedOverride", .bool, default: false, iosOnly: true,
    "Whether the app may show managed pages in Safari's view although policy asks for a managed browser.")
  public static let maxFileProtectionLevel = SettingKey(
    "MaxFileProtectionLevel", .string, default: "NSFileProtectionComplete", iosOnly: true,
    "The strictest NSFileProtectionType that the app can bear.")
  public static let openInActionExtension = SettingKey(
    "OpenInActionExtension", .bool, default: false, iosOnly: true, "Whether this is an open-in action extension.")
  public static let treatAllWebViewsAsUnmanaged = SettingKey(
    "TreatAllWebViewsAsUnmanaged", .bool, default: false, "Whether every web view counts as unmanaged.")
  public static let webViewHandledURLSchemes = SettingKey(
    "WebViewHandledURLSchemes", .stringList, "The schemes that the app's web views handle themselves.")
  public static let documentBrowserFileCachePath = SettingKey(
    "DocumentBrowserFileCachePath", .string, default: "/Documents/", iosOnly: true,
    "Where a document browser's files are decrypted to, below the app's container.")
  public static let finishLaunchingAtStartup = SettingKey(
    "FinishLaunchingAtStartup", .bool, default: false, iosOnly: true,
    "Whether the app finishes launching before the first prompts.")

  static let behavior: [SettingKey] = [
    .safariViewControllerBlockedOverride, .maxFileProtectionLevel, .openInActionExtension,
    .treatAllWebViewsAsUnmanaged, .webViewHandledURLSchemes, .documentBrowserFileCachePath, .finishLaunchingAtStartup,
  ]

  public static let mamTelemetryDisabled = SettingKey(
    "MAMTelemetryDisabled", .bool, default: false, "Whether no telemetry event goes to the host's delegate.")
  public static let mamTelemetryUsePPE = SettingKey(
    "MAMTelemetryUsePPE", .bool, default: false, "Whether telemetry events are marked as those of a test environment.")
  public static let verboseLoggingEnabled = SettingKey(
    "VerboseLoggingEnabled", .bool, default: false, "Whether verbose lines are logged, with personal data in clear.")
  public static let valuesToScrubFromLogging = SettingKey(
    "ValuesToScrubFromLogging", .stringList, isProperty: true,
    "Names of keys whose values the log and diagnostics show as ***: with apiKey, apiKey=blue becomes apiKey=***.")

  static let diagnosis: [SettingKey] = [
    .mamTelemetryDisabled, .mamTelemetryUsePPE, .verboseLoggingEnabled, .valuesToScrubFromLogging,
  ]
}
