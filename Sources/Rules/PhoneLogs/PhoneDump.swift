import JSON
import Model
import Policy
import Support

/// A policy that an input contains.
package struct FoundPolicy: Sendable {
  package let line: Int
  package let kind: PolicyKind
  /// Whether its end is missing, so that it may have more settings.
  package let isCut: Bool
  package let settings: [SettingName: SettingValue]
  /// What was not understood.
  package let warnings: [PolicyWarning]
}

/// The names of an app configuration that an input contains. Values may be secrets.
package struct FoundConfiguration: Hashable, Sendable {
  package let line: Int
  package let channel: Channel
  package let names: [String]

  /// Through app protection, or through the management of the device.
  package enum Channel: String, Sendable { case mam, mdm }

  package func mapNames(_ change: (String) -> String) -> FoundConfiguration {
    FoundConfiguration(line: line, channel: channel, names: names.map(change))
  }
}

/// What a diagnostic dump of iOS says. It names policies but has no values of them.
package struct PhoneDump: Hashable, Sendable {
  package let line: Int
  package var isEnrollmentComplete: Bool?
  /// Whether there is an enrolled account.
  package var hasEnrolledUser: Bool?
  package var hasManagementUser: Bool?
  package var accountsNotTargeted: Int?
  /// The time that the last check-in ended, in UTC.
  package var lastCheckIn: Timestamp?

  var signs: [PhoneSign] {
    var signs: [PhoneSign] = []
    if let accountsNotTargeted, accountsNotTargeted > 0 { signs.append(.accountsNotTargeted) }
    if hasManagementUser == false { signs.append(.managementKeysMissing) }
    return signs
  }
}

/// Finds policies, configurations and dumps in a value.
struct DumpReader {
  private(set) var policies: [FoundPolicy] = []
  private(set) var configurations: [FoundConfiguration] = []
  private(set) var dumps: [PhoneDump] = []
  private let line: Int
  private let isCut: Bool
  private static let deepest = 6

  init(_ block: BlockCollector.Block) {
    (line, isCut) = (block.line, block.isCut)
    read(block.value, depth: 0)
  }

  private mutating func read(_ value: JSONValue, depth: Int) {
    guard depth < Self.deepest else { return }
    if let elements = value.arrayValue {
      for element in elements { read(element, depth: depth + 1) }
    }
    guard let object = value.objectValue else { return }
    if object.isOfAndroid { return readPolicy(object, kind: .android) }
    if let kind = object.graphKind { return readPolicy(object, kind: kind) }
    readDump(object)
    for member in object.members {
      if member.name == "IntuneMAMPolicies" || member.name.hasSuffix(".MAMPolicies"),
        let policy = member.value.objectValue
      {
        readPolicy(policy, kind: policy.isOfAndroid ? .android : .ios)
      } else if member.name == "ApplicationConfiguration" {
        readConfiguration(member.value, .mam)
      } else if member.name == "AppConfig" {
        readConfiguration(member.value, .mdm)
      } else {
        read(member.value, depth: depth + 1)
      }
    }
  }

  private mutating func readPolicy(_ object: JSONObject, kind: PolicyKind) {
    // An empty text means that the setting is not set.
    let members = JSONObject(object.members.filter { $0.value != "" }.map { ($0.name, $0.value) })
    let imported = PolicyImport(members, source: "line \(line)", kind: kind)
    policies.append(
      FoundPolicy(
        line: line, kind: kind, isCut: isCut, settings: imported.settings, warnings: imported.warnings))
  }

  private mutating func readConfiguration(_ value: JSONValue, _ channel: FoundConfiguration.Channel) {
    if let inner = value["ApplicationConfiguration"] { return readConfiguration(inner, channel) }
    let names: [String]
    if let elements = value.arrayValue {
      names = elements.compactMap { $0["Name"]?.stringValue ?? $0["name"]?.stringValue }
    } else {
      names = value.objectValue?.names ?? []
    }
    guard !names.isEmpty else { return }
    configurations.append(FoundConfiguration(line: line, channel: channel, names: names.sorted()))
  }

  private mutating func readDump(_ object: JSONObject) {
    var dump = PhoneDump(line: line)
    dump.isEnrollmentComplete = object["EnrollmentCompleted"]?.spelledFlag
    dump.hasEnrolledUser = object["MAMEnrolledUser"].map(\.isPresent)
    if let name = object["EMM-UPN"], let user = object["MDMEnrolledUser"] {
      dump.hasManagementUser = name.isPresent || user.isPresent
    }
    dump.accountsNotTargeted = object["RegisteredAccountsNotTargeted"]?.count
    dump.lastCheckIn = object["LastPolicyCheckInCompletedTimeStamp"]?.stringValue.flatMap(Self.time)
    guard dump != PhoneDump(line: line) else { return }
    dumps.append(dump)
  }

  /// Seconds since 2001, as text.
  private static func time(_ text: String) -> Timestamp? {
    guard let seconds = Double(text), 0..<10_000_000_000 ~= seconds else { return nil }
    return Timestamp(milliseconds: Int64(seconds * 1000) + 978_307_200_000)
  }
}

extension JSONObject {
  /// The kind of an object of Graph.
  fileprivate var graphKind: PolicyKind? {
    guard let type = self["@odata.type"]?.stringValue else { return nil }
    return PolicyKind.allCases.first { type.hasSuffix("." + $0.typeName) }
  }
}

extension JSONValue {
  fileprivate var isPresent: Bool { !isNull && self != "" }

  /// How many elements or members there are.
  fileprivate var count: Int? {
    if let elements = arrayValue { return elements.count }
    return objectValue.map(\.members.count)
  }
}
