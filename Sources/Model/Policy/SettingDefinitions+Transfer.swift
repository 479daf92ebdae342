extension SettingDefinition {
  /// Where data may go and come from.
  static let transfer: [SettingDefinition] = [
    word(
      .allowedInboundDataTransferSources, DataTransferLevel.self, .everywhere, .plain("AppSharingFromLevel")),
    word(
      .allowedOutboundDataTransferDestinations, DataTransferLevel.self, .everywhere, .plain("AppSharingToLevel")),
    word(
      .allowedOutboundClipboardSharingLevel, ClipboardSharingLevel.self, .everywhere,
      .plain("ClipboardSharingLevel")),
    number(
      .allowedOutboundClipboardSharingExceptionLength, 0...65535, portal: 0, .everywhere,
      .plain("ClipboardCharacterLengthException")),
    flag(.saveAsBlocked, .everywhere, .plain("FileSharingSaveAsDisabled")),
    list(
      .allowedDataStorageLocations, .words(DataStorageLocation.self, joined: false), .everywhere,
      .plain("ManagedLocations")),
    flag(
      .blockDataIngestionIntoOrganizationDocuments, .everywhere, .plain("OpenDataIntoOrgDocumentsBlocked")),
    list(
      .allowedDataIngestionLocations, .words(DataIngestionLocation.self, joined: false), .everywhere,
      .plain("OpenDataFromManagedLocations")),
    flag(.dataBackupBlocked, .everywhere, .plain("DataBackupDisabled")),
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
    word(.purviewContentEvaluationRequired, PurviewEvaluationRequirement.self, role: .informs),
  ]
}
