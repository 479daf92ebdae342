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
  /// again. `delivers` says whether the answer has policies.
  package init(answer: JSONObject, about standing: UserStanding, delivers: Bool) throws(TenantError) {
    var file: JSONObject = ["tenantId": answer["user"]?["tenantId"] ?? .null]
    if standing != .unknown, let user = answer["user"]?.objectValue {
      file["users"] = .array([.object(user.listed(standing))])
    }
    for name in ["allowedAccounts", "certificatePins", "mdm", "unknownRestrictions"] {
      file[name] = answer[name] ?? .null
    }
    let files = AnswerFiles(tenantFile: JSONValue.object(file).jsonText, answer: delivers ? answer : nil)
    do throws(TenantError) {
      self = try TenantReader(files: files).readAvailable(isTargeted: false)
    } catch { throw error.aboutAnswer }
    for index in self.policies.indices { self.policies[index].targeting = PolicyTargeting() }
    for index in self.configurations.indices { self.configurations[index].targeting = PolicyTargeting() }
    try readOperations(answer["operations"] ?? .null)
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
  /// The error with the place in the answer instead of that in the tenant.json which was made of it.
  fileprivate var aboutAnswer: TenantError {
    guard case .unparsable(MemberReader.file, let reason) = self else { return self }
    let place = "users/0/"
    let text = reason.hasPrefix(place) ? "user/\(reason.dropFirst(place.count))" : reason
    return .unparsable(file: "answer", reason: text)
  }
}

/// The members of an answer as files of a tenant.
private struct AnswerFiles: TenantFiles {
  private static let lists = ["policies": ["policies", "hiddenDefaults"], "configurations": ["configurations"]]

  let tenantFile: String
  /// `nil` if the answer delivers nothing.
  let answer: JSONObject?

  func list(_ folder: String) -> [String] { answer == nil ? [] : Self.lists[folder] ?? [] }

  /// Only policies must be there: an answer without them says nothing about policies, not that there are none.
  func read(_ name: String) throws(TenantError) -> [UInt8]? {
    if name == MemberReader.file { return Array(tenantFile.utf8) }
    let member = answer?[name] ?? .null
    if member.isNull, name != "policies" { return Array("[]".utf8) }
    guard member.arrayValue != nil else {
      let found = member.isNull ? "is missing; without policies for the user, it is []" : "not \(member.shortText)"
      throw .unparsable(file: name, reason: member.isNull ? found : "must be a list of objects, \(found)")
    }
    return Array(member.jsonText.utf8)
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
