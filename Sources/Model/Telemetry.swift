import JSON

/// What a host may pass on to those who make the product: that something was done, and how it ended. Names nobody but by
/// object id and tenant, and holds no text of anybody's.
public struct TelemetryEvent: Hashable, Sendable {
  /// Nil where it is about no account, or its object id is not known.
  public var accountId: String?
  public var name: String
  public var properties: [String: String]
  public var privacyLevel: TelemetryPrivacyLevel
  public var privacyDataTypes: [TelemetryPrivacyDataType]
  public var priorityLevel: TelemetryPriorityLevel
  public var dataRegion: TelemetryDataRegion
  /// Nil while the account's tenant is not known.
  public var tenantID: String?

  public init(
    accountId: String?, name: String, properties: [String: String], privacyLevel: TelemetryPrivacyLevel,
    privacyDataTypes: [TelemetryPrivacyDataType], priorityLevel: TelemetryPriorityLevel = .normal,
    dataRegion: TelemetryDataRegion = .global, tenantID: String?
  ) {
    self.accountId = accountId
    self.name = name
    self.properties = properties
    self.privacyLevel = privacyLevel
    self.privacyDataTypes = privacyDataTypes
    self.priorityLevel = priorityLevel
    self.dataRegion = dataRegion
    self.tenantID = tenantID
  }
}

extension TelemetryEvent: Record {
  package static let fields = Fields(
    Self.init(
      accountId:name:properties:privacyLevel:privacyDataTypes:priorityLevel:dataRegion:tenantID:),
    Field("accountId", \.accountId, "The object id of the account it is about; null for none."),
    Field("name", \.name, "What was done."),
    Field("properties", \.properties, "How it ended, and in which environment."),
    Field("privacyLevel", \.privacyLevel, "Why it is collected."),
    Field("privacyDataTypes", \.privacyDataTypes, "What it tells about."),
    Field("priorityLevel", \.priorityLevel, "How soon it is wanted: high for a failure."),
    Field("dataRegion", \.dataRegion, "Where it may be kept: global, for a tenant folder names no region."),
    Field("tenantID", \.tenantID, "The tenant of the account; null while that is not known."))
}

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
