import Model

extension SettingDefinition {
  /// Which app a link, a number or a message is handed to.
  static let links: [SettingDefinition] = [
    flag(.managedBrowserToOpenLinksRequired, .everywhere, .plain("ManagedBrowserRequired")),
    word(.managedBrowser, ManagedBrowserType.self),
    text(.customBrowserProtocol, .ios, .plain("UnmanagedBrowserProtocol")),
    word(.dialerRestrictionLevel, PhoneNumberRedirectLevel.self, .everywhere, .plain("DialerRestrictionLevel")),
    text(.customDialerAppProtocol, .ios, .plain("SpecificDialerProtocol")),
    word(
      .protectedMessagingRedirectAppType, MessagingRedirectAppType.self, .everywhere,
      .plain("ProtectedMessagingRedirectAppType")),
    text(.messagingRedirectAppUrlScheme, .ios),
    list(.exemptedAppProtocols, .pairs, .ios, .joined(";", "ProtocolExclusions")),
    list(
      .managedUniversalLinks, .strings(joinedBy: nil), .ios,
      .joined("|", "ManagedUniversalLinks", "ManageableUniversalLinks")),
    list(.exemptedUniversalLinks, .strings(joinedBy: nil), .ios, .joined("|", "UniversalLinkExclusions")),
  ]
}
