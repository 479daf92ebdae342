import JSON
import Model

/// What a pull has read, and the files that it becomes.
package struct PulledTenant: Sendable {
  static let userMembers = "id,userPrincipalName,displayName,mail,accountEnabled,assignedPlans"

  package var tenantId = ""
  package var displayName = ""
  /// As tenant.json lists them, sorted by id.
  package private(set) var users: [JSONObject] = []
  /// As Graph returns them, sorted by id.
  package private(set) var policies: [PolicyList: [JSONObject]] = [:]
  /// The ids of the groups that policies name, in lower case, sorted.
  package private(set) var groups: [String] = []
  /// The ids of users of whom Graph said that they do not exist any more, in lower case.
  package var deleted: Set<String> = []
  /// The ids of policies of which Graph said so, in lower case.
  var deletedPolicies: Set<String> = []
  /// The users of whom Graph does not say the name, with sentences about them, by their ids in lower case.
  private(set) var unnamed: [String: String] = [:]
  /// The filters that assignments may name, as Graph returns them, sorted by id.
  package private(set) var filters: [JSONObject] = []
  /// What was left out, as sentences.
  package var findings: [String] = []
  /// The groups of users, by their ids in lower case.
  private var groupsOfUsers: [String: [String]] = [:]

  package init() {}

  /// Whether an assignment has a filter.
  var needsFilters: Bool {
    policies.values.contains { $0.contains { $0["assignments"]?.arrayValue?.contains(where: \.hasFilter) == true } }
  }

  mutating func add(filters found: [JSONObject]) {
    filters = found.sorted { $0.text("id") < $1.text("id") }
    let known = Set(filters.map { $0.text("id").lowercasedASCII })
    for list in PolicyList.allCases {
      for policy in policies[list] ?? [] {
        let missing = (policy["assignments"]?.arrayValue ?? []).contains { assignment in
          assignment.hasFilter && !known.contains(assignment.filterID)
        }
        if missing { noteMissingFilter(of: policy) }
      }
    }
  }

  private mutating func noteMissingFilter(of policy: JSONObject) {
    let (name, id) = (policy.text("displayName").shown(atMost: 100), policy.text("id").shown(atMost: 100))
    findings.append(
      "\(name) (\(id)): an assignment has a filter that Graph does not list, so it cannot be evaluated. A protection "
        + "policy applies without it and blocks where it would wipe; a configuration does not apply. Assign a filter that "
        + "exists.")
  }

  mutating func add(_ found: [JSONObject], of list: PolicyList) {
    policies[list] = found.map { policy in
      var policy = policy
      if policy["@odata.type"] == nil {
        policy = JSONObject([("@odata.type", .string(list.type))]).merged(with: policy)
      }
      // A default policy without apps is for all of them.
      if list == .default, policy["apps"]?.arrayValue?.isEmpty == true { policy["apps"] = nil }
      return policy
    }.sorted { $0.text("id") < $1.text("id") }
    let named = found.flatMap { $0["assignments"]?.arrayValue ?? [] }
      .compactMap { $0["target"]?["groupId"]?.stringValue?.lowercasedASCII }
    groups = Set(groups + named).sorted()
  }

  /// `members` has the ids of the users of each group.
  mutating func add(users found: [JSONObject], members: [String: [String]]) throws(GraphFailure) {
    for (group, users) in members {
      for user in users { groupsOfUsers[user.lowercasedASCII, default: []].append(group) }
    }
    for user in found { try add(user) }
    users.sort { $0.text("id") < $1.text("id") }
    let unknown = found.count { $0.isLicensed == nil }
    if unknown > 0 {
      findings.append(
        "Graph does not say clearly whether \(unknown) users have a license of Intune. What the folder says stays; new "
          + "users count as licensed.")
    }
    let undecided = found.count { $0["accountEnabled"]?.boolValue == nil }
    if undecided > 0 {
      findings.append(
        "Graph does not say whether the accounts of \(undecided) users are enabled. What the folder says stays.")
    }
  }

  /// A policy that its list left out, as Graph answers about the policy.
  mutating func unlisted(_ answer: JSONValue, id: String, of list: PolicyList) throws(GraphFailure) -> JSONObject {
    guard var policy = answer.objectValue, policy.text("id").lowercasedASCII == id.lowercasedASCII else {
      throw GraphFailure(.unusable, "The answer of \(list.rawValue)/\(id.shown(atMost: 100)) is not that policy.")
    }
    policy["@odata.context"] = nil
    findings.append(
      "Graph's list of \(list.name) left out \(id.shown(atMost: 100)), but Graph knows this policy, which stays.")
    return policy
  }

  /// A user whom the list of users left out, as Graph answers about the user.
  mutating func add(unlisted user: JSONValue, id: String) throws(GraphFailure) {
    guard let object = user.objectValue, object.text("id").lowercasedASCII == id else {
      throw GraphFailure(.unusable, "The answer of /v1.0/users/\(id) is not that user.")
    }
    findings.append("Graph's list of users left out \(id), but Graph knows this user, who stays.")
    try add(object)
    users.sort { $0.text("id") < $1.text("id") }
  }

  private mutating func add(_ user: JSONObject) throws(GraphFailure) {
    guard let id = user["id"]?.stringValue, !id.isEmpty else {
      throw GraphFailure(.unusable, "An element of Graph's list of users has no id.")
    }
    guard let name = user["userPrincipalName"]?.stringValue, !name.isEmpty else {
      unnamed[id.lowercasedASCII] = "\(user.text("displayName").shown(atMost: 100)) (\(id.shown(atMost: 80)))"
      return
    }
    if let isEnabled = user["accountEnabled"], !isEnabled.isNull, isEnabled.boolValue == nil {
      throw GraphFailure(.unusable, "accountEnabled of the user \(id.shown(atMost: 80)) is neither true nor false.")
    }
    users.append(user.listed(id, name, groups: groupsOfUsers[id.lowercasedASCII]?.sorted() ?? []))
  }
}

extension JSONValue {
  /// Whether an assignment applies only to devices that a filter of Intune lets through.
  fileprivate var hasFilter: Bool {
    let id = filterID
    let type = self["target"]?["deviceAndAppManagementAssignmentFilterType"]?.stringValue?.lowercasedASCII ?? "none"
    return type != "none" || !id.allSatisfy { "0-".contains($0) }
  }

  /// In lower case.
  fileprivate var filterID: String {
    self["target"]?["deviceAndAppManagementAssignmentFilterId"]?.stringValue?.lowercasedASCII ?? ""
  }

  /// Whether a plan of a user lets the user use Intune; `nil` if Graph does not say so in words that are known. Graph
  /// calls Intune's service SCO. The plan of Basic Mobility and Security, which comes with Microsoft 365, has that
  /// service too, but no app protection.
  fileprivate var isIntune: Bool? {
    let basicMobility = "882e1d05-acd1-4ccb-8708-6ee03664b117"
    guard let service = self["service"]?.stringValue, !service.isEmpty else { return nil }
    guard service.lowercasedASCII == "sco", self["servicePlanId"]?.stringValue?.lowercasedASCII != basicMobility else {
      return false
    }
    return switch self["capabilityStatus"]?.stringValue?.lowercasedASCII {
    case "enabled", "warning": true
    case "suspended", "deleted", "lockedout": false
    default: nil
    }
  }
}

extension JSONObject {
  package func text(_ name: String) -> String { self[name]?.stringValue ?? "" }

  /// The members of both; those of `other` win.
  func merged(with other: JSONObject) -> JSONObject {
    var object = self
    for member in other.members { object[member.name] = member.value }
    return object
  }

  /// Whether a user of Graph has a license of Intune; `nil` if Graph does not say so.
  fileprivate var isLicensed: Bool? {
    guard let plans = self["assignedPlans"]?.arrayValue?.map(\.isIntune) else { return nil }
    return plans.contains(true) ? true : plans.contains(nil) ? nil : false
  }

  /// A user of Graph as tenant.json lists it.
  fileprivate func listed(_ id: String, _ name: String, groups: [String]) -> JSONObject {
    var user: JSONObject = [
      "id": .string(id.lowercasedASCII), "userPrincipalName": .string(name),
      "displayName": .string(self["displayName"]?.stringValue ?? name), "mail": self["mail"] ?? .null,
    ]
    if let isEnabled = self["accountEnabled"]?.boolValue { user["accountEnabled"] = .bool(isEnabled) }
    if let isLicensed { user["licensed"] = .bool(isLicensed) }
    user["groups"] = .array(groups.map(JSONValue.string))
    return user
  }
}
