extension SettingKey {
  public static let adalClientId = SettingKey(
    "ADALClientId", .string, "The client id of the app's registration with Microsoft Entra.")
  public static let adalAuthority = SettingKey(
    "ADALAuthority", .url, default: "https://login.microsoftonline.com/common",
    "The authority that signs users in, when the app does not use the common one.")
  public static let adalRedirectUri = SettingKey(
    "ADALRedirectUri", .url, "The redirect URI of the app's registration; replaces ADALRedirectScheme.")
  public static let adalRedirectScheme = SettingKey(
    "ADALRedirectScheme", .string, "The scheme of the redirect URI, which is then scheme://bundle-id.")
  public static let adalLogOverrideDisabled = SettingKey(
    "ADALLogOverrideDisabled", .bool, default: false, iosOnly: true,
    "Whether the log of the authentication library stays with the app instead of going to this log.")
  public static let adalCacheKeychainGroupOverride = SettingKey(
    "ADALCacheKeychainGroupOverride", .string, iosOnly: true,
    "The keychain group of the token cache, instead of com.microsoft.adalcache.")
  public static let appGroupIdentifiers = SettingKey(
    "AppGroupIdentifiers", .stringList, iosOnly: true, "The app groups of the app's entitlements.")
  public static let containingAppBundleId = SettingKey(
    "ContainingAppBundleId", .string, iosOnly: true, "In an extension: the bundle id of the app that contains it.")

  static let authentication: [SettingKey] = [
    .adalClientId, .adalAuthority, .adalRedirectUri, .adalRedirectScheme, .adalLogOverrideDisabled,
    .adalCacheKeychainGroupOverride, .appGroupIdentifiers, .containingAppBundleId,
  ]

  public static let aadAuthorityUriOverride = SettingKey(
    "aadAuthorityUriOverride", .url, isProperty: true, "Wins over ADALAuthority; ends when the account is unenrolled.")
  public static let aadRedirectUriOverride = SettingKey(
    "aadRedirectUriOverride", .url, isProperty: true, "Wins over ADALRedirectUri; ends when the account is unenrolled.")
  public static let aadClientIdOverride = SettingKey(
    "aadClientIdOverride", .string, isProperty: true, "Wins over ADALClientId; ends when the account is unenrolled.")
  public static let telemetryEnabled = SettingKey(
    "telemetryEnabled", .bool, default: true, isProperty: true,
    "Whether telemetry events go to the host's delegate; MAMTelemetryDisabled stops them, too.")

  /// Those that are only properties.
  static let properties: [SettingKey] = accountOverrides + [.telemetryEnabled]

  /// About the sign-in of an account: overriding them ends with the enrollment.
  package static let accountOverrides: [SettingKey] = [
    .aadAuthorityUriOverride, .aadRedirectUriOverride, .aadClientIdOverride,
  ]
}
