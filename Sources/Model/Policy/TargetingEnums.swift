/// How a device is managed. Graph's numbers are bits, its words are joined by commas.
public enum AppManagementLevel: String, GraphEnum {
  case unspecified, unmanaged, mdm, androidEnterprise, androidEnterpriseDedicatedDevicesWithAzureAdSharedMode
  case androidOpenSourceProjectUserAssociated, androidOpenSourceProjectUserless
  public static let graphName = "appManagementLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 4, 8, 16, 32]
  public static let sdkNumbers: [Int?] = Array(repeating: nil, count: 7)
}

/// Which apps a policy is for.
public enum AppGroupType: String, GraphEnum {
  case selectedPublicApps, allCoreMicrosoftApps, allMicrosoftApps, allApps
  public static let graphName = "targetedManagedAppGroupType"
  public static let graphNumbers: [Int?] = [0, 1, 2, 4]
  public static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}

/// Why a registration is flagged.
public enum FlaggedReason: String, GraphEnum {
  case none, rootedDevice, androidBootloaderUnlocked, androidFactoryRomModified
  public static let graphName = "managedAppFlaggedReason"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkNumbers: [Int?] = [nil, nil, nil, nil]
}
