import JSON
import MAM
import Model
import Tenancy

/// The users who get the same, and what they get.
struct ClassSummary {
  let users: SomeUsers
  let entitlement: Entitlement
  let rows: [OutcomeRow]

  /// The number of the users and the names of the first.
  var title: String {
    let count = users.count == 1 ? "1 user" : "\(users.count.grouped) users"
    let clause = users.count == 1 ? "whose account is" : "whose accounts are"
    return "\(count)\(entitlement.isAllowed ? "" : " \(clause) not allowed"): \(users.text)"
  }

  func cells(of row: OutcomeRow) -> [DiagnosticSection.Text] {
    let policies = obstacle.map { "none: \($0)" } ?? row.policies.map(\.displayName).brieflyListed
    let hidden = row.hiddenDefaults.map { "\($0.displayName) (only its app configuration)" }
    let configurations = (row.configurations.map(\.displayName) + hidden).brieflyListed
    let devices = row.devices.map(\.text).joined(separator: "; ")
    return [row.apps.map(\.text).briefly, devices, policies, configurations].map { DiagnosticSection.Text($0) }
  }

  /// Why the users get nothing; `nil` if there is no such reason.
  private var obstacle: String? {
    let text = entitlement.obstacle
    return entitlement.isEnabled || entitlement.isLicensed ? text : text.map { "\($0) and has no license" }
  }

  var json: JSONValue {
    [
      "count": .integer(Int64(users.count)), "users": .array(users.names.map { JSONValue.string($0) }),
      "enabled": .bool(entitlement.isEnabled), "licensed": .bool(entitlement.isLicensed),
      "allowed": .bool(entitlement.isAllowed), "obstacle": obstacle.map { JSONValue.string($0) } ?? .null,
      "rows": .array(rows.map { $0.json }),
    ]
  }
}

extension TenantOutcomes {
  /// The classes with the most users, largest first.
  func summaries(atMost count: Int) -> [ClassSummary] {
    let order = classes.indices.sorted { (classes[$1].users.count, $0) < (classes[$0].users.count, $1) }
    return order.prefix(count).map { index in
      let found = classes[index]
      return ClassSummary(users: found.users, entitlement: found.entitlement, rows: rows(of: found))
    }
  }
}

extension TenantDevice {
  /// The platform, with how the device is managed if that matters.
  var text: String {
    managementType.map { "\(platform.rawValue), \($0.filterValues.first ?? $0.rawValue)" } ?? platform.rawValue
  }

  var json: JSONValue {
    let type: JSONValue = managementType.map { .string($0.rawValue) } ?? .null
    return ["platform": .string(platform.rawValue), "managementType": type]
  }
}

extension OutcomeRow {
  fileprivate var json: JSONValue {
    [
      "apps": .array(apps.map { .string($0.text) }), "devices": .array(devices.map { $0.json }),
      "policies": Self.ids(policies), "configurations": Self.ids(configurations),
      "hiddenDefaults": Self.ids(hiddenDefaults),
    ]
  }

  private static func ids(_ documents: [Document]) -> JSONValue { .array(documents.map { .string($0.id) }) }
}

extension [String] {
  fileprivate var brieflyListed: String { isEmpty ? "-" : briefly }
}
