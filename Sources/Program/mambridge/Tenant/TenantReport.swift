import JSON
import MAM
import Model
import Tenancy

/// The report of `tenant check`: findings, then a table, or JSON.
struct TenantReport {
  /// Who gets what.
  enum Content {
    /// The tenant cannot be read.
    case unknown
    /// Users in classes that get the same; `shares` of each user if there are few.
    case classes(TenantOutcomes, shares: [TenantShare]?)
    case users([TenantShare], TenantOutcomes?)
  }

  /// More classes are only counted.
  static let mostClasses = 100
  /// The longest list of `users` that is part of the JSON without being asked for.
  static let mostRows = 1_000

  let check: TenantCheck
  let content: Content

  func text(on terminal: Terminal) -> String {
    let number = check.findings.count
    let findings = check.findings.flatMap { "\($0.kind.rawValue): \($0.line)".shown.wrapped(to: terminal.width) }
    let count = number == 1 ? "1 finding" : "\(number == 0 ? "no" : number.grouped) findings"
    let parts = [findings, table(on: terminal), [count]]
    return Array(parts.filter { !$0.isEmpty }.joined(separator: [""])).map { $0 + "\n" }.joined()
  }

  private func table(on terminal: Terminal) -> [String] {
    let columns = ["APP", "PLATFORM", "POLICIES", "CONFIGURATIONS"]
    switch content {
    case .unknown: return []
    case .users(let shares, _):
      return TableLayout(["USER"] + columns, shares.map(\.row), width: terminal.width).lines(terminal.styled)
    case .classes(let outcomes, _):
      let summaries = outcomes.summaries(atMost: Self.mostClasses)
      let rows = summaries.flatMap { summary in summary.rows.map { (summary.title, summary.cells(of: $0)) } }
      let table = TableLayout(columns, rows.map(\.1), groups: rows.map(\.0), width: terminal.width)
      let rest = outcomes.classes.count - summaries.count
      let more = "\(rest.grouped) smaller classes of users are not shown; --all shows every user"
      return table.lines(terminal.styled) + (rest > 0 ? more.wrapped(to: terminal.width) : [])
    }
  }

  var json: JSONValue {
    var object: JSONObject = [
      "tenantId": .string(check.tenant.tenantId), "displayName": .string(check.tenant.displayName),
      "users": users.map { .array($0.map(\.json)) } ?? .null, "findings": .array(check.findings.map(\.json)),
    ]
    object["userCount"] = .integer(Int64(outcomes?.classNumbers.count ?? 0))
    object["classCount"] = .integer(Int64(outcomes?.classes.count ?? 0))
    object["classes"] = .array((outcomes?.summaries(atMost: mostClasses) ?? []).map(\.json))
    return .object(object)
  }

  /// `nil` if there are too many to list them without being asked to.
  private var users: [TenantShare]? {
    switch content {
    case .unknown: []
    case .classes(_, let shares): shares
    case .users(let shares, _): shares
    }
  }

  private var outcomes: TenantOutcomes? {
    switch content {
    case .unknown: nil
    case .classes(let outcomes, _): outcomes
    case .users(_, let outcomes): outcomes
    }
  }

  private var mostClasses: Int { if case .users = content { .max } else { Self.mostClasses } }
}

extension TenantShare {
  fileprivate var row: [DiagnosticSection.Text] {
    let cells = [
      user.userPrincipalName, app.text, place.device.text,
      obstacle.map { "none: \($0)" } ?? policies.map(\.displayName).listed,
      configurations.map(\.displayName).listed,
    ]
    return cells.map { DiagnosticSection.Text($0) }
  }

  fileprivate var json: JSONValue {
    [
      "accountId": .string(user.id), "identity": .string(user.userPrincipalName), "app": .string(app.text),
      "platform": .string(platform.rawValue),
      "managementType": managementType.map { .string($0.rawValue) } ?? .null,
      "obstacle": obstacle.map(JSONValue.string) ?? .null,
      "policies": .array(policies.map { ["id": .string($0.id), "displayName": .string($0.displayName)] }),
      "configurations": .array(configurations.map { ["id": .string($0.id), "displayName": .string($0.displayName)] }),
    ]
  }
}

extension TenantFinding {
  fileprivate var json: JSONValue {
    [
      "kind": .string(kind.rawValue), "file": .string(file), "policy": policy.map(JSONValue.string) ?? .null,
      "member": member.map(JSONValue.string) ?? .null, "text": .string(text),
    ]
  }
}

extension [String] {
  fileprivate var listed: String { isEmpty ? "-" : joined(separator: ", ") }
}
