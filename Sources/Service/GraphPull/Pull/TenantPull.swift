// GraphPull speaks with Graph: with Microsoft's, to make a tenant folder from it, and with the same paths of a tenant
// service, to list registrations and order wipes.
//
// Graph/ is the client: tokens from an app, a command or a sign-in, pages, throttling, retries. Pull/ reads policies,
// groups, members and filters, and writes them as a folder. The folder that is there is replaced as a whole or not at
// all; what would take away too much, or what Graph did not let us read, keeps the folder as it was.

import HTTP
import JSON
import Model

/// Reads a tenant from Microsoft Graph.
///
/// Members are read from the groups that have an assignment, not from every user, because there are fewer such groups.
package struct TenantPull: Sendable {
  /// How far a pull is: what it reads, and how much of that it has.
  package typealias Progress = @Sendable (_ part: String, _ count: Int) -> Void

  let client: GraphClient
  /// The directory as the administrator has named it; `nil` if nobody did.
  let directory: String?
  let leavesOutWindows: Bool
  /// Whether filters are not read, because the service does not have them. Assignments still name them.
  let leavesOutFilters: Bool
  let progress: Progress

  package init(
    client: GraphClient, directory: String?, leavesOutWindows: Bool = false, leavesOutFilters: Bool = false,
    progress: @escaping Progress = { _, _ in }
  ) {
    self.client = client
    self.directory = directory
    self.leavesOutWindows = leavesOutWindows
    self.leavesOutFilters = leavesOutFilters
    self.progress = progress
  }

  /// `others` are the ids of groups whose members are read although no policy in Graph names them. `known` are the ids
  /// of the policies of the last pull. With `confirmsPolicies`, Graph is asked about each of them that its lists leave
  /// out, so that neither a short list nor many small steps remove what is still there.
  package func run(
    alsoGroups others: [String] = [], knowing known: [PolicyList: [String]] = [:], confirmsPolicies: Bool = false
  ) async throws(GraphFailure) -> PulledTenant {
    client.beginRun()
    var tenant = PulledTenant()
    try await readOrganization(into: &tenant)
    for list in PolicyList.allCases {
      try await read(list, knowing: known[list] ?? [], confirming: confirmsPolicies, into: &tenant)
    }
    if tenant.needsFilters, !leavesOutFilters { tenant.add(filters: try await filters()) }
    let members = try await members(of: Set(tenant.groups + others).sorted(), &tenant.findings)
    let users = try await client.list(
      at: "/v1.0/users?\(Self.userQuery)&$top=999", permissions: Self.userPermission
    ) { progress("users", $0) }
    try tenant.add(users: users, members: members)
    return tenant
  }

  private static let userQuery = "$select=\(PulledTenant.userMembers)"
  private static let userPermission = "User.Read.All"

  /// Asks Graph about each of these users, whom its list left out. Only Graph's word that there is no such user makes a
  /// deletion. With `isStrict`, ends at the first user who exists, and returns false: then the list is not whole.
  func confirm(
    absent ids: [String], isStrict: Bool, in tenant: inout PulledTenant
  ) async throws(GraphFailure) -> Bool {
    for (index, id) in ids.enumerated() {
      progress("absent users", index + 1)
      let user: JSONValue
      do throws(GraphFailure) {
        let path = "/v1.0/users/\(id.percentEncoded)?\(Self.userQuery)"
        user = try await client.value(at: path, permissions: Self.userPermission)
      } catch {
        guard error.deniesDirectoryObject(id) else { throw error.undecided("the user \(id)") }
        tenant.deleted.insert(id)
        continue
      }
      try tenant.add(unlisted: user, id: id)
      if isStrict { return false }
    }
    return true
  }

  /// Graph returns the tenant's name if the app may read it. If not, the id must be known.
  private func readOrganization(into tenant: inout PulledTenant) async throws(GraphFailure) {
    do throws(GraphFailure) {
      let path = "/v1.0/organization?$select=id,displayName"
      let found = try await client.list(at: path, permissions: "Organization.Read.All").first
      tenant.tenantId = found?["id"]?.stringValue ?? ""
      tenant.displayName = found?["displayName"]?.stringValue ?? ""
    } catch {
      guard error.kind == .forbidden || error.kind == .notFound, let directory, directory.isGUID else { throw error }
      tenant.tenantId = directory.lowercasedASCII
    }
    guard tenant.tenantId.isGUID else {
      throw GraphFailure(.unusable, "Graph does not say which tenant this is: /organization is empty.")
    }
    if let directory, directory.isGUID, directory.lowercasedASCII != tenant.tenantId.lowercasedASCII {
      throw GraphFailure(
        .unusable, "The token is for the tenant \(tenant.tenantId), not for the directory \(directory). Sign in there.")
    }
  }

  /// Only the beta has policies for Windows, and not every cloud has them.
  private func read(
    _ list: PolicyList, knowing known: [String], confirming: Bool, into tenant: inout PulledTenant
  ) async throws(GraphFailure) {
    guard list != .windows || !leavesOutWindows else { return }
    do throws(GraphFailure) {
      var policies: [JSONObject] = []
      var found = try await elements(of: list)
      if confirming { found += try await unlisted(of: list, besides: found, knowing: known, in: &tenant) }
      for policy in found {
        policies.append(try await complete(policy, of: list))
        progress(list.name, policies.count)
      }
      tenant.add(policies, of: list)
    } catch {
      switch (list, error.kind) {
      case (.windows, .notFound) where known.isEmpty: return
      case (.windows, .notFound):
        let advice = "The folder has policies for Windows. Leave them out with --without-windows if they are to go."
        throw GraphFailure(.notFound, "\(error.text) \(advice)")
      case (.windows, .forbidden):
        let advice = "Or leave out the policies for Windows with --without-windows."
        throw GraphFailure(.forbidden, "\(error.text) \(advice)")
      default: throw error
      }
    }
  }

  /// Read only if an assignment has one, because they need another permission.
  private func filters() async throws(GraphFailure) -> [JSONObject] {
    try await client.list(
      at: "/beta/deviceManagement/assignmentFilters", permissions: "DeviceManagementConfiguration.Read.All"
    ) { progress("assignment filters", $0) }
  }

  /// The policies that the list left out, although Graph knows them. Notes those of which Graph says that they do not
  /// exist: an administrator has deleted them.
  private func unlisted(
    of list: PolicyList, besides found: [JSONObject], knowing known: [String], in tenant: inout PulledTenant
  ) async throws(GraphFailure) -> [JSONObject] {
    let listed = Set(found.map { $0.text("id").lowercasedASCII })
    var policies: [JSONObject] = []
    for id in known where !listed.contains(id.lowercasedASCII) {
      let path = "/beta/deviceAppManagement/\(list.rawValue)/\(id.percentEncoded)?\(Self.expansion(of: list))"
      let answer: JSONValue
      do throws(GraphFailure) {
        answer = try await client.value(at: path, permissions: list.permissions)
      } catch {
        guard error.deniesIntuneObject else { throw error.undecided("the policy \(id.shown(atMost: 100))") }
        tenant.deletedPolicies.insert(id.lowercasedASCII)
        continue
      }
      policies.append(try tenant.unlisted(answer, id: id, of: list))
    }
    return policies
  }

  private static func expansion(of list: PolicyList) -> String { "$expand=\(list.members.joined(separator: ","))" }

  private func elements(of list: PolicyList) async throws(GraphFailure) -> [JSONObject] {
    let path = "/beta/deviceAppManagement/\(list.rawValue)?\(Self.expansion(of: list))"
    return try await client.list(at: path, permissions: list.permissions) { progress(list.name, $0) }
  }

  /// The policy with all of its apps and assignments, which may have pages of their own, or may not be expanded.
  private func complete(_ policy: JSONObject, of list: PolicyList) async throws(GraphFailure) -> JSONObject {
    var policy = policy
    guard let id = policy["id"]?.stringValue, !id.isEmpty else {
      throw GraphFailure(.unusable, "An element of \(list.rawValue) has no id.")
    }
    for member in list.members {
      let link = try policy.nextLink(after: member, of: "\(list.rawValue), \(id.shown(atMost: 100)),")
      if let value = policy[member], !value.isNull {
        guard let values = value.objects else {
          let place = "\(list.rawValue), \(id.shown(atMost: 100))"
          throw GraphFailure(.unusable, "The answer of \(place) is wrong: \(member) is not a list of objects.")
        }
        guard let link else { continue }
        let rest = try await client.list(following: link, permissions: list.permissions)
        policy[member] = .array((values + rest).map(JSONValue.object))
        policy["\(member)@odata.nextLink"] = nil
      } else {
        let path = "/beta/deviceAppManagement/\(list.rawValue)/\(id.percentEncoded)/\(member)"
        let values = try await client.list(at: path, permissions: list.permissions)
        policy[member] = .array(values.map(JSONValue.object))
      }
    }
    return policy
  }

  /// The ids of the users in each group, direct and through other groups. A group that Graph does not know has no users
  /// here; whether its users may leave it is decided where the folder is known.
  private func members(
    of groups: [String], _ findings: inout [String]
  ) async throws(GraphFailure) -> [String: [String]] {
    var members: [String: [String]] = [:]
    for (index, group) in groups.enumerated() {
      progress("groups", index + 1)
      do throws(GraphFailure) {
        let path = "/v1.0/groups/\(group.percentEncoded)/transitiveMembers/microsoft.graph.user?$select=id&$top=999"
        let users = try await client.list(at: path, permissions: "GroupMember.Read.All")
        members[group] = try users.map { user throws(GraphFailure) in
          guard let id = user["id"]?.stringValue else {
            throw GraphFailure(.unusable, "A member of the group \(group.shown(atMost: 80)) has no id.")
          }
          return id
        }
      } catch {
        guard error.deniesDirectoryObject(group) else { throw error }
        findings.append("The group \(group.shown(atMost: 80)) does not exist. Remove its assignments.")
      }
    }
    return members
  }
}
