extension SettingKey {
  public static let autoEnrollOnLaunch = SettingKey(
    "AutoEnrollOnLaunch", .bool, default: false,
    "Whether a managed identity that is already signed in is enrolled at start.")
  public static let mamPolicyRequired = SettingKey(
    "MAMPolicyRequired", .bool, default: false,
    "Whether the app is blocked until there is policy. Not for apps of the App Store.")
  public static let mamPolicyWarnAbsent = SettingKey(
    "MAMPolicyWarnAbsent", .bool, default: false, "Whether the user is warned when there is no policy.")
  public static let multiIdentity = SettingKey(
    "MultiIdentity", .bool, default: false, "Whether the app keeps managed and unmanaged accounts apart.")
  public static let multiIdentityCancelDisabled = SettingKey(
    "MultiIdentityCancelDisabled", .bool, default: false,
    "Whether a user cannot cancel a switch of identity, so that \"canceled\" never is the result.")
  public static let multipleManagedAccounts = SettingKey(
    "MultipleManagedAccounts", .bool, default: false,
    "Whether a second account may be enrolled, which is status 227 otherwise. A setting of this server.")
  public static let debugSettingsEnabled = SettingKey(
    "DebugSettingsEnabled", .bool, default: false, "Whether debug.* may set test policies. Not for released apps.")

  static let enrollment: [SettingKey] = [
    .autoEnrollOnLaunch, .mamPolicyRequired, .mamPolicyWarnAbsent, .multiIdentity, .multiIdentityCancelDisabled,
    .multipleManagedAccounts, .debugSettingsEnabled,
  ]
}
