import JSON
import Model
import TestSupport
import Testing

@testable import Bridge

/// What the lists of the SDK's members and enumerations say.
@Suite(.enabled(if: SharedFolder.isPresent, "the folder of facts beside the checkout is missing")) struct SDKTests {
  @Test("A method lists no SDK member that the SDK surface list gives to another", arguments: RequestCase.bothWays)
  func members(_ method: RequestCase) {
    let rows = SharedFolder.rows("facts/sdk-surface-21.tsv")
    for member in method.method.sdkMembers {
      let row = rows.first { "\($0[0]) \($0[1])" == member }
      #expect(row.map { Self.methods(of: $0) }?.contains(method.method.name) == true, "\(member)")
    }
  }

  @Test("A method lists every SDK member that the SDK surface list assigns to it", arguments: RequestCase.bothWays)
  func surface(_ method: RequestCase) {
    for row in SharedFolder.rows("facts/sdk-surface-21.tsv") where !row[1].isEmpty && Self.isRequest(row) {
      guard Self.methods(of: row).contains(method.method.name) else { continue }
      #expect(method.method.sdkMembers.contains("\(row[0]) \(row[1])"))
    }
  }

  /// Such as `settings.get+settings.set#backgroundColor`.
  private static func methods(of row: [String]) -> [String] {
    row[2].prefix { $0 != "#" }.split(separator: "+").map(String.init)
  }

  private static func isRequest(_ row: [String]) -> Bool { row[3] == "client-request" || row[3] == "server-request" }

  @Test("An enumeration has the SDK's cases and integers, in the SDK's order", arguments: EnumCase.all)
  func enumerations(_ enumeration: EnumCase) {
    let rows = SharedFolder.rows("facts/sdk-enums-21.tsv").filter { $0[0] == enumeration.name }
    #expect(rows.map { $0[1] } == enumeration.names)
    #expect(rows.map { Int($0[2]) } == enumeration.values)
  }
}

struct EnumCase: Sendable, CustomTestStringConvertible {
  static let all = [
    EnumCase(SaveLocation.self), EnumCase(OpenLocation.self), EnumCase(NotificationPolicy.self),
    EnumCase(PolicySource.self), EnumCase(BoolQueryType.self), EnumCase(NumberQueryType.self),
    EnumCase(StringQueryType.self), EnumCase(LogLevel.self), EnumCase(DataProtectionStatusCode.self),
    EnumCase(FileProtectionStatusCode.self),
    EnumCase(ClockStatus.self), EnumCase(EnrollmentStatusCode.self), EnumCase(IdentitySwitchReason.self),
    EnumCase(AddIdentityResult.self), EnumCase(ComplianceStatus.self), EnumCase(SwitchIdentityResult.self),
    EnumCase(WebViewPolicy.self), EnumCase(CertificatePinningStatusCode.self), EnumCase(TelemetryPrivacyLevel.self),
    EnumCase(TelemetryPrivacyDataType.self), EnumCase(TelemetryPriorityLevel.self), EnumCase(TelemetryDataRegion.self),
  ]

  let name: String
  let names: [String]
  let values: [Int]

  init<Value: SDKEnum>(_ type: Value.Type) {
    name = Value.sdkName
    names = Value.allCases.map(\.rawValue)
    values = Value.sdkValues
  }

  var testDescription: String { name }
}
