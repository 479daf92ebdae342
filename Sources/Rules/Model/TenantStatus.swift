import JSON
import Support

/// Where policies come from.
package enum PolicySourceKind: String, CaseIterable, Hashable, Sendable, NamedValue {
  case none, sample, folder
  /// A program that `exec:` names, or the one for an address.
  case program
}

/// What the policy source holds, and the state of the accounts.
package struct TenantStatus: Hashable, Sendable {
  package var source: PolicySourceKind
  package var path: String?
  package var tenantId: String?
  package var displayName: String?
  package var error: String?
  package var users: [User]
  package var userCount: Int
  package var next: Int?
  package var accounts: [AccountStatus]

  package init(
    source: PolicySourceKind, path: String?, tenantId: String?, displayName: String?, error: String?,
    users: [User], userCount: Int, next: Int?, accounts: [AccountStatus]
  ) {
    self.source = source
    self.path = path
    self.tenantId = tenantId
    self.displayName = displayName
    self.error = error
    self.users = users
    self.userCount = userCount
    self.next = next
    self.accounts = accounts
  }

  /// A user that the policy source lists.
  package struct User: Hashable, Sendable {
    package var accountId: String
    package var identity: String
    package var displayName: String?
    package var licensed: Bool
    package var accountEnabled: Bool
    package var groups: [String]

    package init(
      accountId: String, identity: String, displayName: String?, licensed: Bool, accountEnabled: Bool,
      groups: [String]
    ) {
      self.accountId = accountId
      self.identity = identity
      self.displayName = displayName
      self.licensed = licensed
      self.accountEnabled = accountEnabled
      self.groups = groups
    }
  }
}

extension TenantStatus: Record {
  package static let fields = Fields(
    Self.init(source:path:tenantId:displayName:error:users:userCount:next:accounts:),
    Field("source", \.source, "The kind of source that --tenant names."),
    Field("path", \.path, "The path of the folder; null for other sources."),
    Field("tenantId", \.tenantId, "The id of the tenant; null while the source cannot be read."),
    Field("displayName", \.displayName, "The name of the tenant."),
    Field("error", \.error, "Why the source cannot be read now, and what to do; null if it can."),
    Field("users", \.users, "A page of the users that the source lists, or only the user of the given account."),
    Field("userCount", \.userCount, "The number of users that the source lists."),
    Field("next", \.next, "The `after` of the next page; null if no user follows."),
    Field("accounts", \.accounts, "The registered accounts, in order of registration."))
}

extension TenantStatus.User: Record {
  package static let schemaName = "TenantUser"
  package static let fields = Fields(
    Self.init(accountId:identity:displayName:licensed:accountEnabled:groups:),
    Field("accountId", \.accountId, "The Entra object id."),
    Field("identity", \.identity, "The user principal name."),
    Field("displayName", \.displayName, "The name of the user."),
    Field("licensed", \.licensed, "Whether the user is licensed for the service."),
    Field("accountEnabled", \.accountEnabled, "Whether the account of the user is enabled."),
    Field("groups", \.groups, "The groups that the user is in, by name or id."))
}
