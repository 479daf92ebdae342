import JSON
import MAM
import Model
import Tenancy

/// The report of `tenant check`: a table with findings below it, or JSON.
struct TenantReport {
  let check: TenantCheck
  let shares: [TenantShare]

  func text(on terminal: Terminal) -> String {
    let columns = ["USER", "APP", "PLATFORM", "POLICIES", "CONFIGURATIONS"]
    let table = TableLayout(columns, shares.map(\.row), width: terminal.width).lines(terminal.styled)
    let lines = check.findings.flatMap { "\($0.kind.rawValue): \($0.line)".shown.wrapped(to: terminal.width) }
    let number = check.findings.count
    let count = number == 1 ? "1 finding" : "\(number == 0 ? "no" : String(number)) findings"
    return (table + [""] + lines + [count]).map { $0 + "\n" }.joined()
  }

  var json: JSONValue {
    [
      "tenantId": .string(check.tenant.tenantId), "displayName": .string(check.tenant.displayName),
      "users": .array(shares.map(\.json)), "findings": .array(check.findings.map(\.json)),
    ]
  }
}

extension TenantShare {
  fileprivate var row: [DiagnosticSection.Text] {
    let policies = obstacle.map { "none: \($0)" } ?? policies.map(\.displayName).listed
    let device = managementType.map { "\(platform.rawValue), \($0.filterValues.first ?? $0.rawValue)" }
    let cells = [
      user.userPrincipalName, app.text, device ?? platform.rawValue, policies, configurations.map(\.displayName).listed,
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
