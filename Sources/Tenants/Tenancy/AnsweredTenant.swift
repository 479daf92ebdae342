import JSON
import Model
import Policy
import SourceProtocol

extension TenantSnapshot {
  /// The tenant as an answer of a source outside of this process shows it. Its members have the form of Graph and of
  /// tenant.json. The source has chosen what applies to the user, so nothing is targeted again. Only an outcome that
  /// delivers has policies.
  package init(_ answer: SourceAnswer, _ outcome: SourceAnswer.Outcome) throws(TenantError) {
    let user = answer.user.value?.objectValue
    var members: JSONObject = ["tenantId": user?[AnsweredUser.tenantId.name] ?? .null]
    if outcome != .userUnknown, let user { members["users"] = .array([.object(user.listed(outcome))]) }
    for member in [SourceAnswer.Member.allowedAccounts, .certificatePins, .mdm, .unknownRestrictions] {
      members[member.rawValue] = answer.value(of: member) ?? .null
    }
    do throws(TenantError) {
      self = try TenantSnapshot(TenantFile(members))
    } catch { throw error.aboutAnswer }
    if outcome == .delivered { readPolicies(answer) }
    try readOperations(answer.operations.value ?? .null)
  }

  /// Only policies are required: an answer without them says nothing about policies, not that there are none.
  private mutating func readPolicies(_ answer: SourceAnswer) {
    var objects = TenantObjects(of: self, isTargeted: false)
    do throws(TenantError) {
      let name = SourceAnswer.policies.name
      try objects.add(try Self.list(answer.policies.value, name, isRequired: true), from: name)
      for member in [SourceAnswer.Member.hiddenDefaults, .configurations] {
        try objects.add(try Self.list(answer.value(of: member), member.rawValue), from: member.rawValue)
      }
      try objects.finish()
    } catch {
      objects.snapshot.leaveOutPolicies(because: error)
    }
    self = objects.snapshot
    for index in policies.indices { policies[index].targeting = PolicyTargeting() }
    for index in configurations.indices { configurations[index].targeting = PolicyTargeting() }
  }

  /// A list of the answer; empty if it is absent or null.
  private static func list(
    _ member: JSONValue?, _ name: String, isRequired: Bool = false
  ) throws(TenantError) -> JSONValue {
    let member = member ?? .null
    if member.arrayValue != nil { return member }
    if member.isNull {
      guard isRequired else { return [] }
      throw .unparsable(file: name, reason: "is missing; without policies for the user, it is []")
    }
    throw .unparsable(file: name, reason: "must be a list of objects, not \(member.shortText)")
  }

  /// All operations are for the user and the app of the answer.
  private mutating func readOperations(_ list: JSONValue) throws(TenantError) {
    guard !list.isNull else { return }
    let name = SourceAnswer.Member.operations.rawValue
    guard let values = list.arrayValue else {
      throw .unparsable(file: name, reason: "must be a list, not \(list.shortText)")
    }
    for value in values {
      let type = value[OrderedOperation.type.name]?.stringValue.flatMap { OrderedOperation.Kind(rawValue: $0) }
      guard let type, let id = value[OrderedOperation.id.name]?.stringValue, !id.isEmpty else {
        warnings.append(
          PolicyWarning("answer", name, "an operation without an id, or of an unknown type, is ignored"))
        continue
      }
      guard let user = users.first else { continue }
      let reference = AccountReference(user.id)
      operations.append(
        TenantOperation(id: id, kind: TenantOperation.Kind(type), user: reference, app: nil, requested: ""))
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
  /// The user as tenant.json lists it.
  fileprivate func listed(_ outcome: SourceAnswer.Outcome) -> JSONObject {
    var user = JSONObject(members.filter { $0.name != AnsweredUser.tenantId.name }.map { ($0.name, $0.value) })
    user["accountEnabled"] = .bool(outcome != .userDisabled)
    user["deleted"] = .bool(outcome == .userDeleted)
    user["licensed"] = .bool(outcome != .notLicensed)
    return user
  }
}

extension TenantOperation.Kind {
  fileprivate init(_ kind: OrderedOperation.Kind) {
    switch kind {
    case .wipe: self = .wipe
    case .wipeAndBlock: self = .wipeAndBlock
    }
  }
}
