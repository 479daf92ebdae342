import Model

/// Every member of Microsoft Graph's policy objects that mambridge knows, by Graph's name.
///
/// To add a setting, add a case here and a row in `row` below: the type, the SDK's name, the kinds of policies, the
/// merge, what the setting affects or why it affects nothing, and the message of a refusal. The order of the cases is
/// the order in docs/policy-settings.md and in the schema.
package enum SettingName: String, CaseIterable, Hashable, Sendable {
  // About the policy itself.
  case id, displayName, description, createdDateTime, lastModifiedDateTime, roleScopeTagIds, version, isAssigned
  case targetedAppManagementLevels, appGroupType, deployedAppCount, apps, assignments, deploymentSummary, customSettings

  // Data transfer.
  case allowedInboundDataTransferSources, allowedOutboundDataTransferDestinations, allowedOutboundClipboardSharingLevel
  case allowedOutboundClipboardSharingExceptionLength, saveAsBlocked, allowedDataStorageLocations
  case blockDataIngestionIntoOrganizationDocuments, allowedDataIngestionLocations, dataBackupBlocked, printBlocked
  case contactSyncBlocked, allowWidgetContentSync, notificationRestriction, filterOpenInToOnlyManagedApps
  case disableProtectionOfManagedOutboundOpenInData, protectInboundDataFromUnknownSources, appDataEncryptionType
  case thirdPartyKeyboardsBlocked, dictationBlocked, genmojiConfigurationState, screenCaptureConfigurationState
  case writingToolsConfigurationState, purviewContentEvaluationRequired

  // Windows only.
  case allowedInboundDataTransferSourceApps, allowedOutboundDataTransferDestinationApps

  // Links.
  case managedBrowserToOpenLinksRequired, managedBrowser, customBrowserProtocol, dialerRestrictionLevel
  case customDialerAppProtocol, protectedMessagingRedirectAppType, messagingRedirectAppUrlScheme, exemptedAppProtocols
  case managedUniversalLinks, exemptedUniversalLinks

  // Access.
  case periodOfflineBeforeAccessCheck, periodOnlineBeforeAccessCheck, periodOfflineBeforeWipeIsEnforced
  case organizationalCredentialsRequired, pinRequired, maximumPinRetries, appActionIfMaximumPinRetriesExceeded
  case simplePinBlocked, minimumPinLength, pinCharacterSet, periodBeforePinReset, previousPinBlockCount
  case fingerprintBlocked, faceIdBlocked, disableAppPinIfDevicePinIsSet, pinRequiredInsteadOfBiometricTimeout

  // Conditional launch.
  case deviceComplianceRequired, appActionIfDeviceComplianceRequired, maximumRequiredOsVersion, maximumWarningOsVersion
  case maximumWipeOsVersion, minimumRequiredOsVersion, minimumWarningOsVersion, minimumWipeOsVersion
  case minimumRequiredAppVersion, minimumWarningAppVersion, minimumWipeAppVersion, minimumRequiredSdkVersion
  case minimumWarningSdkVersion, minimumWipeSdkVersion, maximumAllowedDeviceThreatLevel
  case mobileThreatDefenseRemediationAction, mobileThreatDefensePartnerPriority, appActionIfUnableToAuthenticateUser
  case allowedIosDeviceModels, appActionIfIosDeviceModelNotAllowed, appActionIfAccountIsClockedOut
  case gracePeriodToBlockAppsDuringOffClockHours

  // Android only.
  case encryptAppData, screenCaptureBlocked, keyboardsRestricted, approvedKeyboards, biometricAuthenticationBlocked
  case exemptedAppPackages, allowedAndroidDeviceModels, appActionIfAndroidDeviceModelNotAllowed
  case allowedAndroidDeviceManufacturers, appActionIfAndroidDeviceManufacturerNotAllowed, deviceLockRequired
  case appActionIfDeviceLockNotSet, appActionIfDevicePasscodeComplexityLessThanLow
  case appActionIfDevicePasscodeComplexityLessThanMedium, appActionIfDevicePasscodeComplexityLessThanHigh
  case appActionIfDeveloperOptionsEnabled, appActionIfSamsungKnoxAttestationRequired, fingerprintAndBiometricEnabled
  case requireClass3Biometrics, requirePinAfterBiometricChange
  case disableAppEncryptionIfDeviceEncryptionIsEnabled, minimumRequiredPatchVersion
  case minimumWarningPatchVersion, minimumWipePatchVersion, minimumRequiredCompanyPortalVersion
  case minimumWarningCompanyPortalVersion, minimumWipeCompanyPortalVersion, blockAfterCompanyPortalUpdateDeferralInDays
  case warnAfterCompanyPortalUpdateDeferralInDays, wipeAfterCompanyPortalUpdateDeferralInDays
  case requiredAndroidSafetyNetDeviceAttestationType, appActionIfAndroidSafetyNetDeviceAttestationFailed
  case requiredAndroidSafetyNetAppsVerificationType, appActionIfAndroidSafetyNetAppsVerificationFailed
  case requiredAndroidSafetyNetEvaluationType, connectToVpnOnLaunch, customBrowserPackageId, customBrowserDisplayName
  case customDialerAppPackageId, customDialerAppDisplayName, messagingRedirectAppPackageId
  case messagingRedirectAppDisplayName
}
