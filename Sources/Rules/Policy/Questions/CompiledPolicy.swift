import Model
import Support

/// An effective policy in the form that questions read, without look-ups by name and without text.
package final class CompiledPolicy: Sendable {
  package let effective: EffectivePolicy

  let send: TransferLevel
  let receive: TransferLevel
  /// The locations that may be used without an account although the levels admit no app: only policies for Windows
  /// select them.
  let selectedDestinations: [WindowsTransferLocation]
  let selectedSources: [WindowsTransferLocation]
  /// Whether received data from unknown sources belongs to the user of a managed device.
  package let protectsUnknownData: Bool
  let clipboard: TransferLevel
  /// Whether content from every app may be pasted, whatever may be copied to other apps.
  let takesPastesOfAllApps: Bool
  let isSavingCopiesBlocked: Bool
  let saveExceptions: SaveExceptions
  let isIngestionBlocked: Bool
  let ingestionExceptions: OpenExceptions
  package let isPINRequired: Bool
  let isPINDroppedWithDevicePIN: Bool
  let isContactSyncBlocked: Bool
  let allowsWidgetContent: Bool
  let isManagedBrowserRequired: Bool
  /// Nil if no policy sets it, which never restricts.
  let encryptionType: DataEncryptionType?
  let encryptsAppData: Bool
  let notifications: NotificationRestriction?
  /// Whether only managed apps are offered when data is shared.
  let filtersOpenIn: Bool
  /// Whether a managed device, instead of the app, keeps other apps from getting shared data.
  let leavesSharingToSystem: Bool
  let handOff: HandOffRules
  package let launch: LaunchRules
  package let pin: PINRules
  let actions: ActionRules
  /// What explanations say of the policy, as far as any has been made.
  let words = Lock(PolicyWords())

  package init(_ effective: EffectivePolicy) {
    func isTrue(_ name: SettingName) -> Bool { effective.value(of: name) == .bool(true) }
    self.effective = effective
    func level(_ name: SettingName) -> TransferLevel { TransferLevel(effective.value(of: name)?.word(), name) }
    let clipboardLevel: ClipboardSharingLevel? = effective.value(of: .allowedOutboundClipboardSharingLevel)?.word()
    send = level(.allowedOutboundDataTransferDestinations)
    receive = level(.allowedInboundDataTransferSources)
    func selected(_ level: TransferLevel, _ list: SettingName) -> [WindowsTransferLocation] {
      level.apps == .selectedApps ? effective.value(of: list)?.words() ?? [] : []
    }
    selectedDestinations = selected(send, .allowedOutboundDataTransferDestinationApps)
    selectedSources = selected(receive, .allowedInboundDataTransferSourceApps)
    protectsUnknownData = receive.apps == .allApps && isTrue(.protectInboundDataFromUnknownSources)
    clipboard = TransferLevel(clipboardLevel?.apps, .allowedOutboundClipboardSharingLevel)
    takesPastesOfAllApps = clipboardLevel == .managedAppsWithPasteIn
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
    launch = LaunchRules(effective)
    pin = PINRules(effective)
    actions = ActionRules(effective)
  }

  /// Nil if none of the documents is for the platform.
  package convenience init?(merging documents: [PolicyDocument], platform: DevicePlatform) {
    guard let effective = EffectivePolicy(merging: documents, platform: platform) else { return nil }
    self.init(effective)
  }

  package func hasSamePolicy(as other: CompiledPolicy) -> Bool { effective.hasSamePolicy(as: other.effective) }
}

extension ClipboardSharingLevel {
  /// The apps that may have copied content.
  fileprivate var apps: DataTransferLevel {
    switch self {
    case .allApps: .allApps
    case .managedApps, .managedAppsWithPasteIn: .managedApps
    case .blocked: .none
    }
  }
}
