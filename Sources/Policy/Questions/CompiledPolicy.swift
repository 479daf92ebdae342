import Model

/// An effective policy in the form that questions read: no look-up by name, no text.
package final class CompiledPolicy: Sendable {
  package let effective: EffectivePolicy

  /// Nil where no policy sets it, which never restricts.
  package let send: DataTransferLevel?
  package let receive: DataTransferLevel?
  /// Whether received data of unknown sources belongs to the user of a managed device.
  package let protectsUnknownData: Bool
  let clipboard: ClipboardSharingLevel?
  package let isSavingCopiesBlocked: Bool
  package let saveExceptions: SaveExceptions
  package let isIngestionBlocked: Bool
  package let ingestionExceptions: OpenExceptions
  package let isPINRequired: Bool
  package let isPINDroppedWithDevicePIN: Bool
  package let isContactSyncBlocked: Bool
  package let allowsWidgetContent: Bool
  package let isManagedBrowserRequired: Bool
  /// Whether the browser that is required is one that the policy names.
  package let hasCustomBrowser: Bool
  package let encryptionType: DataEncryptionType?
  package let encryptsAppData: Bool
  package let notifications: NotificationRestriction?
  /// Whether only managed apps are offered when data is shared.
  let filtersOpenIn: Bool
  /// Whether a managed device, and not the app, keeps shared data from other apps.
  let leavesSharingToSystem: Bool
  let handOff: HandOffRules
  package let launch: LaunchRules
  package let pin: PINRules
  let actions: ActionRules

  package init(_ effective: EffectivePolicy) {
    func isTrue(_ name: SettingName) -> Bool { effective.value(of: name) == .bool(true) }
    self.effective = effective
    send = effective.value(of: .allowedOutboundDataTransferDestinations)?.word()
    receive = effective.value(of: .allowedInboundDataTransferSources)?.word()
    protectsUnknownData = receive == .allApps && isTrue(.protectInboundDataFromUnknownSources)
    clipboard = effective.value(of: .allowedOutboundClipboardSharingLevel)?.word()
    isSavingCopiesBlocked = isTrue(.saveAsBlocked)
    saveExceptions = SaveExceptions(effective.value(of: .allowedDataStorageLocations)?.words() ?? [])
    isIngestionBlocked = isTrue(.blockDataIngestionIntoOrganizationDocuments)
    ingestionExceptions = OpenExceptions(effective.value(of: .allowedDataIngestionLocations)?.words() ?? [])
    isPINRequired = isTrue(.pinRequired)
    isPINDroppedWithDevicePIN = isTrue(.disableAppPinIfDevicePinIsSet)
    isContactSyncBlocked = isTrue(.contactSyncBlocked)
    allowsWidgetContent = isTrue(.allowWidgetContentSync)
    isManagedBrowserRequired = isTrue(.managedBrowserToOpenLinksRequired)
    encryptionType = effective.value(of: .appDataEncryptionType)?.word()
    encryptsAppData = isTrue(.encryptAppData)
    notifications = effective.value(of: .notificationRestriction)?.word()
    filtersOpenIn = isTrue(.filterOpenInToOnlyManagedApps)
    leavesSharingToSystem = isTrue(.disableProtectionOfManagedOutboundOpenInData)
    handOff = HandOffRules(effective)
    hasCustomBrowser = handOff.redirections["http"]?.setting == .customBrowserProtocol
    launch = LaunchRules(effective)
    pin = PINRules(effective)
    actions = ActionRules(effective)
  }

  /// Nil when none of the documents counts on the platform.
  package convenience init?(merging documents: [PolicyDocument], platform: DevicePlatform) {
    guard let effective = EffectivePolicy(merging: documents, platform: platform) else { return nil }
    self.init(effective)
  }

  package func hasSamePolicy(as other: CompiledPolicy) -> Bool { effective.hasSamePolicy(as: other.effective) }
}
