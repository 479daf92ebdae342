import Model

/// What telemetry is about, with the reason why it is collected.
enum TelemetryKind: Sendable {
  case launch, enrollment, action

  var privacyLevel: TelemetryPrivacyLevel {
    switch self {
    case .launch: .requiredDiagnosticData
    case .enrollment: .requiredServiceData
    case .action: .optionalDiagnosticData
    }
  }

  var privacyDataTypes: [TelemetryPrivacyDataType] {
    switch self {
    case .launch: [.productAndServiceUsage, .softwareSetupAndInventory]
    case .enrollment: [.productAndServicePerformance]
    case .action: [.productAndServiceUsage, .productAndServicePerformance]
    }
  }
}
