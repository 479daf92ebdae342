import JSON

/// Telemetry that a host may pass on to the makers of the product: what was done, and how it ended. It identifies an
/// account only by object id and tenant, and contains no text that a person wrote.
package struct TelemetryEvent: Hashable, Sendable {
  /// `nil` if the event is about no account, or the object id is unknown.
  package var accountId: String?
  package var name: String
  package var properties: [String: String]
  package var privacyLevel: TelemetryPrivacyLevel
  package var privacyDataTypes: [TelemetryPrivacyDataType]
  package var priorityLevel: TelemetryPriorityLevel
  package var dataRegion: TelemetryDataRegion
  /// `nil` while the account's tenant is unknown.
  package var tenantID: String?

  package init(
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
    Field("accountId", \.accountId, "The object id of the account that the event is about; null if there is none."),
    Field("name", \.name, "What was done."),
    Field("properties", \.properties, "How it ended, and in which environment."),
    Field("privacyLevel", \.privacyLevel, "Why the data is collected."),
    Field("privacyDataTypes", \.privacyDataTypes, "What the data is about."),
    Field("priorityLevel", \.priorityLevel, "How soon the data should be delivered: high for a failure."),
    Field(
      "dataRegion", \.dataRegion, "Where the data may be stored: global, because a tenant folder names no region."),
    Field("tenantID", \.tenantID, "The tenant of the account; null while unknown."))
}

/// Why data is collected. Users can choose which reasons they allow.
package enum TelemetryPrivacyLevel: String, SDKEnum {
  case optionalDiagnosticData, requiredServiceData, requiredDiagnosticData
  package static let sdkName = "IntuneMAMTelemetryPrivacyLevel"
  package static let sdkValues = [0, 1, 2]
}

/// What data is about.
package enum TelemetryPrivacyDataType: String, SDKEnum {
  case productAndServiceUsage, productAndServicePerformance, deviceConnectivityAndConfiguration
  case softwareSetupAndInventory, browsingHistory, inkingTypingAndSpeechUtterance
  package static let sdkName = "IntuneMAMTelemetryPrivacyDataTypes"
  package static let sdkValues = [1, 2, 4, 8, 16, 32]
}

/// How soon data should be delivered.
package enum TelemetryPriorityLevel: String, SDKEnum {
  case low, normal, high, immediate
  package static let sdkName = "IntuneMAMTelemetryPriorityLevel"
  package static let sdkValues = [1, 2, 3, 4]
}

/// Where data may be stored.
package enum TelemetryDataRegion: String, SDKEnum {
  case global, eu
  package static let sdkName = "IntuneMAMTelemetryDataRegion"
  package static let sdkValues = [0, 1]
}

extension TelemetryPrivacyLevel: SDKEnumValue {}
extension TelemetryPrivacyDataType: SDKEnumValue {}
extension TelemetryPriorityLevel: SDKEnumValue {}
extension TelemetryDataRegion: SDKEnumValue {}
