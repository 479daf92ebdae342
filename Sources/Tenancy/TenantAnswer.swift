import JSON
import Model
import Policy

/// What the answer of a source outside of this process says about its user.
package enum UserStanding: String, CaseIterable, Sendable {
  case entitled, deleted, disabled, unlicensed, unknown
}

extension TenantSnapshot {
  /// The tenant as an answer of a source outside of this process shows it. Its members have the form of Graph and of
  /// tenant.json, so it is read like a folder. The source has chosen what applies to the user, so nothing is targeted
  /// again.
  package init(answer: JSONObject, about standing: UserStanding) throws(TenantError) {
    var policies = answer["policies"]?.arrayValue ?? []
    policies += answer["hiddenDefaults"]?.arrayValue ?? []
    let configurations = answer["configurations"]?.arrayValue ?? []
    var file: JSONObject = ["tenantId": answer["user"]?["tenantId"] ?? .null]
    if standing != .unknown, let user = answer["user"]?.objectValue {
      file["users"] = .array([.object(user.listed(standing))])
    }
    for name in ["allowedAccounts", "certificatePins", "mdm"] { file[name] = answer[name] ?? .null }
    let texts = [
      "tenant.json": JSONValue.object(file).jsonText, PolicyDocument.answerFile: JSONValue.array(policies).jsonText,
      "configurations/answer.json": JSONValue.array(configurations).jsonText,
    ]
    self = try TenantReader(files: TextFiles(texts: texts)).read()
    for index in self.policies.indices { self.policies[index].targeting = PolicyTargeting() }
    for index in self.configurations.indices { self.configurations[index].targeting = PolicyTargeting() }
    readOperations(answer["operations"]?.arrayValue ?? [])
  }

  /// All operations are for the user and the app of the answer.
  private mutating func readOperations(_ values: [JSONValue]) {
    for value in values {
      let type = value["type"]?.stringValue ?? ""
      guard let kind = TenantOperation.Kind(rawValue: type), let id = value["id"]?.stringValue, !id.isEmpty else {
        warnings.append(
          PolicyWarning("answer", "operations", "an operation without an id, or of an unknown type, is ignored"))
        continue
      }
      guard let user = users.first else { continue }
      operations.append(
        TenantOperation(id: id, kind: kind, user: AccountReference(user.id), app: nil, requested: ""))
    }
  }
}

extension JSONObject {
  /// The user as tenant.json lists it.
  fileprivate func listed(_ standing: UserStanding) -> JSONObject {
    var user = JSONObject(members.filter { $0.name != "tenantId" }.map { ($0.name, $0.value) })
    user["accountEnabled"] = .bool(standing != .disabled)
    user["deleted"] = .bool(standing == .deleted)
    user["licensed"] = .bool(standing != .unlicensed)
    return user
  }
}
