import JSON
import Model
import Policy

/// What the answer of a source outside of this process says about its user.
package enum UserStanding: String, CaseIterable, Sendable {
  case entitled, deleted, disabled, unlicensed, unknown
}

extension TenantSnapshot {
  /// The tenant as an answer of a source outside of this process shows it. Its members have the form of Graph and of
  /// tenant.json. The source has chosen what applies to the user, so nothing is targeted again. `delivers` says whether
  /// the answer has policies.
  package init(answer: JSONObject, about standing: UserStanding, delivers: Bool) throws(TenantError) {
    var members: JSONObject = ["tenantId": answer["user"]?["tenantId"] ?? .null]
    if standing != .unknown, let user = answer["user"]?.objectValue {
      members["users"] = .array([.object(user.listed(standing))])
    }
    for name in ["allowedAccounts", "certificatePins", "mdm", "unknownRestrictions"] {
      members[name] = answer[name] ?? .null
    }
    do throws(TenantError) {
      self = try TenantSnapshot(TenantFile(members))
    } catch { throw error.aboutAnswer }
    if delivers { readPolicies(answer) }
    try readOperations(answer["operations"] ?? .null)
  }

  private mutating func readPolicies(_ answer: JSONObject) {
    var objects = TenantObjects(of: self, isTargeted: false)
    do throws(TenantError) {
      for name in ["policies", "hiddenDefaults", "configurations"] {
        try objects.add(try answer.list(name, isRequired: name == "policies"), from: name)
      }
      try objects.finish()
    } catch {
      objects.snapshot.leaveOutPolicies(because: error)
    }
    self = objects.snapshot
    for index in policies.indices { policies[index].targeting = PolicyTargeting() }
    for index in configurations.indices { configurations[index].targeting = PolicyTargeting() }
  }

  /// All operations are for the user and the app of the answer.
  private mutating func readOperations(_ list: JSONValue) throws(TenantError) {
    guard !list.isNull else { return }
    guard let values = list.arrayValue else {
      throw .unparsable(file: "operations", reason: "must be a list, not \(list.shortText)")
    }
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

extension TenantError {
  /// The error with the place in the answer instead of that in a tenant.json.
  fileprivate var aboutAnswer: TenantError {
    guard case .unparsable(MemberReader.file, let reason) = self else { return self }
    let place = "users/0/"
    let text = reason.hasPrefix(place) ? "user/\(reason.dropFirst(place.count))" : reason
    return .unparsable(file: "answer", reason: text)
  }
}

extension JSONObject {
  /// A list of the answer; empty if it is absent or null. Only policies are required: an answer without them says nothing
  /// about policies, not that there are none.
  fileprivate func list(_ name: String, isRequired: Bool) throws(TenantError) -> JSONValue {
    let member = self[name] ?? .null
    if member.arrayValue != nil { return member }
    if member.isNull {
      guard isRequired else { return [] }
      throw .unparsable(file: name, reason: "is missing; without policies for the user, it is []")
    }
    throw .unparsable(file: name, reason: "must be a list of objects, not \(member.shortText)")
  }

  /// The user as tenant.json lists it.
  fileprivate func listed(_ standing: UserStanding) -> JSONObject {
    var user = JSONObject(members.filter { $0.name != "tenantId" }.map { ($0.name, $0.value) })
    user["accountEnabled"] = .bool(standing != .disabled)
    user["deleted"] = .bool(standing == .deleted)
    user["licensed"] = .bool(standing != .unlicensed)
    return user
  }
}
