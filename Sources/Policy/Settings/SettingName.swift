/// Every member of the policy objects of Microsoft Graph that is known here, by Graph's name.
public enum SettingName: String, CaseIterable, Hashable, Sendable {
  // About the policy itself.
  case id, displayName, description, createdDateTime, lastModifiedDateTime, roleScopeTagIds, version
  case isAssigned, targetedAppManagementLevels, appGroupType, deployedAppCount, apps, assignments, deploymentSummary
  case customSettings

  // Data transfer.
  case allowedInboundDataTransferSources, allowedOutboundDataTransferDestinations
  case allowedOutboundClipboardSharingLevel, allowedOutboundClipboardSharingExceptionLength
  case saveAsBlocked, allowedDataStorageLocations, blockDataIngestionIntoOrganizationDocuments
  case allowedDataIngestionLocations, dataBackupBlocked, printBlocked, contactSyncBlocked, allowWidgetContentSync
  case notificationRestriction, filterOpenInToOnlyManagedApps, disableProtectionOfManagedOutboundOpenInData
  case protectInboundDataFromUnknownSources, appDataEncryptionType, thirdPartyKeyboardsBlocked
  case genmojiConfigurationState, screenCaptureConfigurationState, writingToolsConfigurationState
  case purviewContentEvaluationRequired

  // Links.
  case managedBrowserToOpenLinksRequired, managedBrowser, customBrowserProtocol, dialerRestrictionLevel
  case customDialerAppProtocol, protectedMessagingRedirectAppType, messagingRedirectAppUrlScheme
  case exemptedAppProtocols, managedUniversalLinks, exemptedUniversalLinks

  // Access.
  case periodOfflineBeforeAccessCheck, periodOnlineBeforeAccessCheck, periodOfflineBeforeWipeIsEnforced
  case organizationalCredentialsRequired, pinRequired, maximumPinRetries, appActionIfMaximumPinRetriesExceeded
  case simplePinBlocked, minimumPinLength, pinCharacterSet, periodBeforePinReset, previousPinBlockCount
  case fingerprintBlocked, faceIdBlocked, disableAppPinIfDevicePinIsSet, pinRequiredInsteadOfBiometricTimeout

  // Conditional launch.
  case deviceComplianceRequired, appActionIfDeviceComplianceRequired
  case maximumRequiredOsVersion, maximumWarningOsVersion, maximumWipeOsVersion
  case minimumRequiredOsVersion, minimumWarningOsVersion, minimumWipeOsVersion
  case minimumRequiredAppVersion, minimumWarningAppVersion, minimumWipeAppVersion
  case minimumRequiredSdkVersion, minimumWarningSdkVersion, minimumWipeSdkVersion
  case maximumAllowedDeviceThreatLevel, mobileThreatDefenseRemediationAction, mobileThreatDefensePartnerPriority
  case appActionIfUnableToAuthenticateUser, allowedIosDeviceModels, appActionIfIosDeviceModelNotAllowed
  case appActionIfAccountIsClockedOut, gracePeriodToBlockAppsDuringOffClockHours

  // Android only.
  case encryptAppData, disableAppEncryptionIfDeviceEncryptionIsEnabled, screenCaptureBlocked
  case keyboardsRestricted, approvedKeyboards, biometricAuthenticationBlocked, exemptedAppPackages
  case allowedAndroidDeviceModels, appActionIfAndroidDeviceModelNotAllowed
  case allowedAndroidDeviceManufacturers, appActionIfAndroidDeviceManufacturerNotAllowed
  case deviceLockRequired, appActionIfDeviceLockNotSet
  case minimumRequiredPatchVersion, minimumWarningPatchVersion, minimumWipePatchVersion
  case minimumRequiredCompanyPortalVersion, minimumWarningCompanyPortalVersion, minimumWipeCompanyPortalVersion
  case blockAfterCompanyPortalUpdateDeferralInDays, warnAfterCompanyPortalUpdateDeferralInDays
  case wipeAfterCompanyPortalUpdateDeferralInDays
  case requiredAndroidSafetyNetDeviceAttestationType, appActionIfAndroidSafetyNetDeviceAttestationFailed
  case requiredAndroidSafetyNetAppsVerificationType, appActionIfAndroidSafetyNetAppsVerificationFailed
  case requiredAndroidSafetyNetEvaluationType, connectToVpnOnLaunch
  case customBrowserPackageId, customBrowserDisplayName, customDialerAppPackageId, customDialerAppDisplayName
  case messagingRedirectAppPackageId, messagingRedirectAppDisplayName

  /// Delivered by the SDK's service only; Graph has no member for it, so the name is ours.
  case dictationBlocked
}
