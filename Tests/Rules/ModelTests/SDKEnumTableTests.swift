import TestSupport
import Testing

@testable import Model

@Suite struct SDKEnumTableTests {
  static let types: [any SDKEnum.Type] = [
    BoolQueryType.self, NumberQueryType.self, StringQueryType.self, DataProtectionStatusCode.self,
    FileProtectionStatusCode.self,
    EnrollmentStatusCode.self, SaveLocation.self, OpenLocation.self, NotificationPolicy.self, PolicySource.self,
    ClockStatus.self, LogLevel.self, ComplianceStatus.self, CertificatePinningStatusCode.self,
    TelemetryPrivacyLevel.self, TelemetryPrivacyDataType.self, TelemetryPriorityLevel.self, TelemetryDataRegion.self,
  ]

  @Test(
    "The words and values of each SDK enum match the table of the SDK",
    .enabled(if: SharedFolder.isPresent, "facts are missing"),
    arguments: types)
  func agrees(type: any SDKEnum.Type) {
    let rows = SharedFolder.rows("facts/sdk-enums-21.tsv").filter { $0.first == type.sdkName }
    #expect(rows.map { $0[1] } == type.words)
    #expect(rows.compactMap { Int($0[2]) } == type.sdkValues)
  }
}

extension SDKEnum {
  fileprivate static var words: [String] { allCases.map(\.rawValue) }
}
