/// Why data is collected, as users can choose it.
public enum TelemetryPrivacyLevel: String, SDKEnum {
  case optionalDiagnosticData, requiredServiceData, requiredDiagnosticData
  public static let sdkName = "IntuneMAMTelemetryPrivacyLevel"
  public static let sdkValues = [0, 1, 2]
}

/// What data tells about.
public enum TelemetryPrivacyDataType: String, SDKEnum {
  case productAndServiceUsage, productAndServicePerformance, deviceConnectivityAndConfiguration
  case softwareSetupAndInventory, browsingHistory, inkingTypingAndSpeechUtterance
  public static let sdkName = "IntuneMAMTelemetryPrivacyDataTypes"
  public static let sdkValues = [1, 2, 4, 8, 16, 32]
}

/// How soon data is wanted.
public enum TelemetryPriorityLevel: String, SDKEnum {
  case low, normal, high, immediate
  public static let sdkName = "IntuneMAMTelemetryPriorityLevel"
  public static let sdkValues = [1, 2, 3, 4]
}

/// Where data may be kept.
public enum TelemetryDataRegion: String, SDKEnum {
  case global, eu
  public static let sdkName = "IntuneMAMTelemetryDataRegion"
  public static let sdkValues = [0, 1]
}

extension TelemetryPrivacyLevel: SDKEnumValue {}
extension TelemetryPrivacyDataType: SDKEnumValue {}
extension TelemetryPriorityLevel: SDKEnumValue {}
extension TelemetryDataRegion: SDKEnumValue {}
