/// How a device is managed, as assignment filters compare it (`app.deviceManagementType`).
package enum ManagementType: String, CaseIterable, Hashable, Sendable {
  /// The tenant decides: managed for the user that the device is managed for, unmanaged for all others.
  case notReported
  case unmanaged, managed, androidDeviceAdministrator, androidEnterprise, aospUserless, aospUserAssociated
  case dedicatedWithSharedMode, dedicatedWithoutSharedMode, corporateWorkProfile, fullyManaged, personalWorkProfile

  /// The values of a filter that mean this type. The first is the one to show.
  package var filterValues: [String] {
    switch self {
    case .notReported: []
    case .unmanaged: ["Unmanaged"]
    case .managed: ["Managed"]
    case .androidDeviceAdministrator: ["Android device administrator"]
    case .androidEnterprise: ["Android Enterprise"]
    case .aospUserless: ["AOSP userless devices"]
    case .aospUserAssociated: ["AOSP user-associated devices"]
    case .dedicatedWithSharedMode:
      [
        "Corporate-owned dedicated devices with Entra ID Shared mode",
        "Corporate-owned dedicated devices with Azure AD Shared mode",
      ]
    case .dedicatedWithoutSharedMode: ["Corporate-owned dedicated devices without Entra ID Shared mode"]
    case .corporateWorkProfile: ["Corporate-owned with work profile"]
    case .fullyManaged: ["Corporate-owned fully managed"]
    case .personalWorkProfile: ["Personally-owned work profile"]
    }
  }

  /// The type that a filter compares; `nil` for an unknown value.
  package init?(filterValue text: String) {
    let name = text.lowercasedASCII
    guard let found = Self.allCases.first(where: { $0.filterValues.contains { $0.lowercasedASCII == name } }) else {
      return nil
    }
    self = found
  }

  /// What `targetedAppManagementLevels` calls the type; `nil` if the tenant decides.
  package var level: AppManagementLevel? {
    switch self {
    case .notReported: nil
    case .unmanaged: .unmanaged
    case .managed, .androidDeviceAdministrator: .mdm
    case .androidEnterprise, .dedicatedWithoutSharedMode, .corporateWorkProfile, .fullyManaged, .personalWorkProfile:
      .androidEnterprise
    case .dedicatedWithSharedMode: .androidEnterpriseDedicatedDevicesWithAzureAdSharedMode
    case .aospUserless: .androidOpenSourceProjectUserless
    case .aospUserAssociated: .androidOpenSourceProjectUserAssociated
    }
  }

  /// Whether the type is one of the ways of Android Enterprise to manage a device.
  private var isOfAndroidEnterprise: Bool {
    switch self {
    case .dedicatedWithSharedMode, .dedicatedWithoutSharedMode, .corporateWorkProfile, .fullyManaged,
      .personalWorkProfile:
      true
    default: false
    }
  }

  /// Whether both types are the same; `nil` if one is Android Enterprise and the other a special case of that.
  package func equals(_ other: ManagementType) -> Bool? {
    if self == other { return true }
    let isCloser =
      self == .androidEnterprise && other.isOfAndroidEnterprise
      || other == .androidEnterprise && isOfAndroidEnterprise
    return isCloser ? nil : false
  }
}
