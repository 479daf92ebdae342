/// What devices hold beside settings: read without a word, and without effect.
package enum SDKInformation {
  /// In the spelling of the devices. `RequireFileEncryption` is documented as not actively used.
  package static let names = [
    "NonBioPassTimeOutRequired", "ClipboardEncryptionEnabled", "DisableShareSense", "RequireFileEncryption",
    "IntuneIdentityUPN", "MTDAppFriendlyName", "MTDAppLaunchUrl", "MTDAppStoreUrl", "IsMTDAppEnabledForWPJ",
    "WPJReplicationDelay", "DisableAria", "ADALTenantId", "QuickLookBlockedOverride", "ManagedBrowserURLListMode",
    "policyTemplateVersion", "useEnterpriseClipboard", "managedPackageList", "allowedBrowserType",
    "secureBrowserUrlListMode", "secureBrowserUrlList",
  ]

  private static let keys = Set(names.map(\.lowercasedASCII))

  static func isName(_ text: String) -> Bool { keys.contains(text.lowercasedASCII) }
}
