import Testing

@testable import Model

@Suite struct GraphEnumTests {
  struct Row: Sendable {
    let type: any GraphEnum.Type
    let word: String
    let graph: Int?
    let sdk: Int?

    init(_ type: any GraphEnum.Type, _ word: String, _ graph: Int?, _ sdk: Int?) {
      self.type = type
      self.word = word
      self.graph = graph
      self.sdk = sdk
    }
  }

  static let rows = [
    Row(DataTransferLevel.self, "allApps", 0, 2), Row(DataTransferLevel.self, "managedApps", 1, 1),
    Row(DataTransferLevel.self, "none", 2, 0),
    Row(ClipboardSharingLevel.self, "allApps", 0, 3), Row(ClipboardSharingLevel.self, "managedAppsWithPasteIn", 1, 2),
    Row(ClipboardSharingLevel.self, "managedApps", 2, 1), Row(ClipboardSharingLevel.self, "blocked", 3, 0),
    Row(DataEncryptionType.self, "useDeviceSettings", 0, 3), Row(DataEncryptionType.self, "afterDeviceRestart", 1, 2),
    Row(DataEncryptionType.self, "whenDeviceLockedExceptOpenFiles", 2, 1),
    Row(DataEncryptionType.self, "whenDeviceLocked", 3, 0),
    Row(PINCharacterSet.self, "numeric", 0, 1), Row(PINCharacterSet.self, "alphanumericAndSymbol", 1, 0),
    Row(PhoneNumberRedirectLevel.self, "allApps", 0, 3), Row(PhoneNumberRedirectLevel.self, "managedApps", 1, 2),
    Row(PhoneNumberRedirectLevel.self, "customApp", 2, 1), Row(PhoneNumberRedirectLevel.self, "blocked", 3, 0),
    Row(NotificationRestriction.self, "allow", 0, 0), Row(NotificationRestriction.self, "block", 2, 2),
    Row(NotificationRestriction.self, "blockOrganizationalData", 1, 1),
    Row(DeviceThreatLevel.self, "notConfigured", 0, 0), Row(DeviceThreatLevel.self, "secured", 1, 1),
    Row(DeviceThreatLevel.self, "low", 2, 2), Row(DeviceThreatLevel.self, "medium", 3, 3),
    Row(DeviceThreatLevel.self, "high", 4, 4),
    Row(RemediationAction.self, "block", 0, 0), Row(RemediationAction.self, "wipe", 1, 1),
    Row(DataStorageLocation.self, "oneDriveForBusiness", 1, 1), Row(DataStorageLocation.self, "sharePoint", 2, 2),
    Row(DataStorageLocation.self, "box", 3, 4), Row(DataStorageLocation.self, "localStorage", 6, 32),
    Row(DataStorageLocation.self, "photoLibrary", 7, 128), Row(DataStorageLocation.self, "egnyte", 9, nil),
    Row(DataIngestionLocation.self, "oneDriveForBusiness", 1, 1), Row(DataIngestionLocation.self, "sharePoint", 2, 2),
    Row(DataIngestionLocation.self, "camera", 3, 4), Row(DataIngestionLocation.self, "photoLibrary", 4, 16),
    Row(DataIngestionLocation.self, "localStorage", nil, 8),
  ]

  @Test("Words of a Graph enum are read from Graph's numbers and from the SDK's different numbers", arguments: rows)
  func numbers(row: Row) {
    #expect(row.type.sdkNumber(of: row.word) == row.sdk)
    if let graph = row.graph { #expect(row.type.word(graphNumber: graph) == row.word) }
    if let sdk = row.sdk { #expect(row.type.word(sdkNumber: sdk) == row.word) }
  }

  @Test(
    "Every case of a Graph enum has a Graph number, an SDK number and one place in the strictness order",
    arguments: [
      DataTransferLevel.self, ClipboardSharingLevel.self, DataStorageLocation.self, DataIngestionLocation.self,
      ManagedBrowserType.self, NotificationRestriction.self, DataEncryptionType.self, PhoneNumberRedirectLevel.self,
      MessagingRedirectAppType.self, ConfigurationState.self, PINCharacterSet.self, RemediationAction.self,
      DeviceThreatLevel.self, ThreatDefensePartnerPriority.self, PurviewEvaluationRequirement.self,
      AppManagementLevel.self, AppGroupType.self, FlaggedReason.self, DeviceAttestationType.self,
      AppsVerificationType.self, AttestationEvaluationType.self,
    ] as [any GraphEnum.Type])
  func complete(type: any GraphEnum.Type) {
    #expect(type.graphNumbers.count == type.words.count)
    #expect(type.sdkNumbers.count == type.words.count)
    let isComplete = type.strictnessIsComplete
    #expect(isComplete)
  }

  @Test("Either photo library bit of the SDK, 64 or 128, is read as photoLibrary")
  func photoBits() {
    #expect(DataStorageLocation(sdkNumber: 64) == .photoLibrary)
    #expect(DataStorageLocation(sdkNumber: 128) == .photoLibrary)
    #expect(DataStorageLocation.words(sdkBits: 64 | 128).words == ["photoLibrary"])
    #expect(DataStorageLocation.words(sdkBits: 1 | 8).isComplete == false)
  }
}

extension GraphEnum {
  fileprivate static var strictnessIsComplete: Bool {
    Set(fromLenientToStrict) == Set(allCases) && fromLenientToStrict.count == allCases.count
  }
}
