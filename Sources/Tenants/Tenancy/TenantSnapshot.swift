import JSON
import Model
import Policy
import Support

/// A tenant at one point in time.
package struct TenantSnapshot: Sendable {
  package var tenantId = ""
  package var displayName = ""
  package var users: TenantUsers = []
  /// Completes the name or the object id of an account; `nil` if no accounts are known. A user whom the tenant lists
  /// without an id has the known one: an id that is missing does not say that another user got the name.
  package var known: (@Sendable (AccountReference) -> Account)?
  /// The protection policies, sorted by id.
  package var policies: [PolicyDocument] = []
  /// The app configurations, sorted by id.
  package var configurations: [ConfigurationDocument] = []
  /// `policies` and `configurations` as Graph writes them, in the same order, each with its id and type. The dictionary
  /// of a device, which Graph does not know, is as the device has it. Empty unless a `TenantFileSet` was read.
  package var policyObjects: [JSONObject] = []
  package var configurationObjects: [JSONObject] = []
  /// The ids that objects have only because of their places: they name none, or one that another object has, too.
  var placeIDs: Set<String> = []
  /// What was left out of a stored version because it cannot be read.
  var unreadable: [UnreadableObject] = []
  /// Why a policy or a configuration cannot be read; `nil` if all can. Otherwise nobody knows what applies: there are no
  /// policies and no configurations here, and only the rest counts.
  package private(set) var policyFault: TenantError?
  /// Why nobody knows whether the policies that applied before are gone; `nil` if their folder is there.
  package var missingPolicies: TenantError?
  package var assignments: [TenantAssignment] = []
  var filters = AssignmentFilters()
  package var operations: [TenantOperation] = []
  /// Whether there is a list of operations. Without one nobody said that an operation is taken back.
  package private(set) var listsOperations = false
  /// `nil` if every account is allowed.
  package var allowedAccounts: [AccountReference]?
  package var certificatePins = CertificatePins.none
  package var mdm: MDMEnrollment?
  /// `nil` if the service asks for no token.
  package var authentication: TenantAuthentication?
  /// Whether accounts are blocked whose policies set what mambridge does not know and what may restrict.
  package var blocksUnknownRestrictions = false
  package var warnings: [PolicyWarning] = []

  /// The tenant if all of it can be read. Throws `policyFault`.
  package func whole() throws(TenantError) -> TenantSnapshot {
    if let policyFault { throw policyFault }
    return self
  }

  /// Leaves out all policies and configurations, because one of them cannot be read.
  mutating func leaveOutPolicies(because fault: TenantError) {
    (policies, configurations, policyObjects, configurationObjects) = ([], [], [], [])
    policyFault = fault
  }

  /// How the device is managed.
  package var managementLevel: AppManagementLevel { mdm == nil ? .unmanaged : .mdm }

  /// The user of an account; `nil` if the tenant does not list it. A deleted user may have left the name to another one.
  package func user(for account: AccountReference) -> TenantUser? {
    guard account.kind != .noUser else { return nil }
    if let user = users.first(named: account.key) { return withKnownID(user) }
    guard account.kind == .objectId, let name = known?(account).identity else { return nil }
    return users.first(named: name.lowercasedASCII).map(withKnownID).flatMap { $0.isNamed(account.key) ? $0 : nil }
  }

  private func withKnownID(_ user: TenantUser) -> TenantUser {
    guard user.hasDerivedID, let id = known?(AccountReference(user.userPrincipalName)).accountId else { return user }
    var user = user
    user.id = id
    return user
  }
}

/// A policy or a configuration that a stored version has and that cannot be read.
struct UnreadableObject: Hashable, Sendable {
  /// `nil` if the whole file cannot be read.
  let id: String?
  let fault: TenantError
  let file: String
}

/// An assignment in tenant.json for the objects of a file. It replaces their own groups and apps.
package struct TenantAssignment: Hashable, Sendable {
  /// The path relative to the tenant's folder.
  package var file: String
  /// Names or ids of groups; "*" is everybody.
  package var groups: [String]
  /// Identifiers of apps; "*" is every app.
  package var apps: [String]
}

/// A wipe that an administrator requested.
package struct TenantOperation: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable { case wipe, wipeAndBlock }

  /// Names the operation in its source; `nil` in a folder.
  package var id: String?
  package var kind: Kind
  package var user: AccountReference
  /// `nil` for every app.
  package var app: String?
  /// The time as written in the file.
  package var requested: String

  package init(id: String? = nil, kind: Kind, user: AccountReference, app: String?, requested: String) {
    self.id = id
    self.kind = kind
    self.user = user
    self.app = app
    self.requested = requested
  }
}

/// The management of the device as a whole.
package struct MDMEnrollment: Hashable, Sendable {
  package var user: AccountReference
  package var appConfig: [String: String]
}

/// How the service of a tenant recognizes a user: by a token of this kind.
package struct TenantAuthentication: Hashable, Sendable {
  /// The URL of the authority that gives tokens.
  package var authority: String
  package var resource: String
  /// At least one.
  package var scopes: [String]
  /// `nil` if the app's own registration applies.
  package var clientId: String?

  package init(authority: String, resource: String, scopes: [String], clientId: String? = nil) {
    self.authority = authority
    self.resource = resource
    self.scopes = scopes
    self.clientId = clientId
  }
}

extension TenantSnapshot {
  init(_ file: TenantFile) throws(TenantError) {
    let members = MemberReader(file.object)
    tenantId = try members.string("tenantId") ?? ""
    displayName = try members.string("displayName") ?? ""
    allowedAccounts = try members.strings("allowedAccounts")?.map { AccountReference($0) }
    certificatePins = try Self.readPins(members)
    blocksUnknownRestrictions = try members.word("unknownRestrictions", of: ["report", "block"]) == "block"
    warnings = members.warnings(besides: [
      "tenantId", "displayName", "users", "assignments", "operations", "allowedAccounts", "certificatePins", "mdm",
      "authentication", "unknownRestrictions",
    ])
    users = try file.readUsers(&warnings)
    for assignment in try members.objects("assignments") { assignments.append(try readAssignment(assignment)) }
    for operation in try members.objects("operations") { operations.append(try readOperation(operation)) }
    listsOperations = file.object["operations"]?.arrayValue != nil
    mdm = try members.object("mdm").map { mdm throws(TenantError) in try readMDM(mdm) }
    authentication = try members.object("authentication").map { authentication throws(TenantError) in
      try readAuthentication(authentication)
    }
  }

  private static func readPins(_ members: MemberReader) throws(TenantError) -> CertificatePins {
    let pins = try members.table("certificatePins", "lists of strings", \.strings) ?? [:]
    do throws(CertificatePinFault) {
      return try CertificatePins(pins)
    } catch {
      throw .unparsable(file: MemberReader.file, reason: "certificatePins/\(error.description)")
    }
  }

  private mutating func readAssignment(_ members: MemberReader) throws(TenantError) -> TenantAssignment {
    warnings += members.warnings(besides: ["policy", "groups", "apps"])
    return TenantAssignment(
      file: try members.required("policy").normalizedPath, groups: try members.strings("groups") ?? ["*"],
      apps: try members.strings("apps") ?? ["*"])
  }

  /// An operation that cannot be read makes the file unparsable, because it may be one that was ordered before.
  private mutating func readOperation(_ members: MemberReader) throws(TenantError) -> TenantOperation {
    warnings += members.warnings(besides: ["type", "user", "app", "requestedDateTime"])
    let kind = try members.required("type", of: TenantOperation.Kind.allCases)
    let user = AccountReference(try members.required("user"))
    let app = try members.required("app", hint: "write the id of an app, or \"*\" for all apps")
    let requested = try members.string("requestedDateTime") ?? ""
    return TenantOperation(kind: kind, user: user, app: app == "*" ? nil : app, requested: requested)
  }

  private mutating func readAuthentication(_ members: MemberReader) throws(TenantError) -> TenantAuthentication {
    warnings += members.warnings(besides: ["authority", "resource", "scopes", "clientId"])
    let scopes = try members.strings("scopes") ?? []
    guard !scopes.isEmpty, !scopes.contains("") else {
      throw .unparsable(file: MemberReader.file, reason: "authentication/scopes must name at least one scope")
    }
    return TenantAuthentication(
      authority: try members.required("authority"), resource: try members.required("resource"), scopes: scopes,
      clientId: try members.string("clientId").nonEmpty)
  }

  private mutating func readMDM(_ members: MemberReader) throws(TenantError) -> MDMEnrollment {
    warnings += members.warnings(besides: ["user", "appConfig"])
    return MDMEnrollment(
      user: AccountReference(try members.required("user")),
      appConfig: try members.table("appConfig", "strings", \.scalarText) ?? [:])
  }
}

extension String {
  /// The path without empty parts and `.` parts.
  var normalizedPath: String {
    let parts = split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return hasPrefix("/") ? "/" + parts : parts
  }
}
