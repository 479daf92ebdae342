import Model

extension SettingDefinition {
  /// Where data may go and come from.
  static let transfer: [SettingDefinition] = [
    word(
      .allowedInboundDataTransferSources, DataTransferLevel.self, .everywhere,
      .plain("AppSharingFromLevel").android("receiveSharingLevel")),
    word(
      .allowedOutboundDataTransferDestinations, DataTransferLevel.self, .everywhere,
      .plain("AppSharingToLevel").android("transferSharingLevel")),
    word(
      .allowedOutboundClipboardSharingLevel, ClipboardSharingLevel.self, .everywhere,
      .plain("ClipboardSharingLevel")),
    number(
      .allowedOutboundClipboardSharingExceptionLength, 0...65535, portal: 0, .everywhere,
      .plain("ClipboardCharacterLengthException")),
    flag(.saveAsBlocked, .everywhere, .plain("FileSharingSaveAsDisabled").android("saveToPersonal", .inverted)),
    list(
      .allowedDataStorageLocations, .words(DataStorageLocation.self, joined: false), .everywhere,
      .plain("ManagedLocations")),
    flag(
      .blockDataIngestionIntoOrganizationDocuments, .everywhere,
      .plain("OpenDataIntoOrgDocumentsBlocked").android("openFromPersonal", .inverted)),
    list(
      .allowedDataIngestionLocations, .words(DataIngestionLocation.self, joined: false), .everywhere,
      .plain("OpenDataFromManagedLocations")),
    flag(.dataBackupBlocked, .everywhere, .plain("DataBackupDisabled").android("restrictBackups")),
    flag(.printBlocked, .everywhere, .plain("PrintingBlocked")),
    flag(.contactSyncBlocked, .everywhere, .plain("ContactSyncDisabled")),
    flag(.allowWidgetContentSync, restricting: false, .ios),
    word(.notificationRestriction, NotificationRestriction.self, .everywhere, .plain("NotificationRestriction")),
    flag(.filterOpenInToOnlyManagedApps, .ios, .plain("EnableOpenInFilter")),
    flag(
      .disableProtectionOfManagedOutboundOpenInData, restricting: false, .ios, .inverted("ProtectManagedOpenInData")),
    flag(.protectInboundDataFromUnknownSources, .ios, .plain("ProtectAllIncomingUnknownSourceData")),
    word(.appDataEncryptionType, DataEncryptionType.self, .ios, .plain("FileEncryptionLevel")),
    flag(.thirdPartyKeyboardsBlocked, .ios, .plain("ThirdPartyKeyboardsBlocked")),
    flag(.dictationBlocked, .ios, .plain("DictationBlocked")),
    word(.genmojiConfigurationState, ConfigurationState.self, .ios, .plain("GenmojiConfigurationState")),
    word(.screenCaptureConfigurationState, ConfigurationState.self, .ios, .plain("ScreenCaptureConfigurationState")),
    word(.writingToolsConfigurationState, ConfigurationState.self, .ios, .plain("WritingToolsConfigurationState")),
    word(.purviewContentEvaluationRequired, PurviewEvaluationRequirement.self),
  ]
}
