import Model
import Policy

/// A tenant at one point in time.
package struct TenantSnapshot: Sendable {
  package var tenantId = ""
  package var displayName = ""
  package var users: [TenantUser] = []
  /// The protection policies, sorted by id.
  package var policies: [PolicyDocument] = []
  /// The app configurations, sorted by id.
  package var configurations: [ConfigurationDocument] = []
  package var assignments: [TenantAssignment] = []
  package var operations: [TenantOperation] = []
  /// `nil` if every account is allowed.
  package var allowedAccounts: [AccountReference]?
  package var certificatePins = CertificatePins.none
  package var mdm: MDMEnrollment?
  package var warnings: [PolicyWarning] = []

  /// How the device is managed.
  package var managementLevel: AppManagementLevel { mdm == nil ? .unmanaged : .mdm }

  /// The user of an account; `nil` if the tenant does not list it.
  package func user(for account: AccountReference) -> TenantUser? {
    switch account.kind {
    case .noUser: nil
    case .objectId, .userPrincipalName:
      users.first { user in
        user.id.lowercasedASCII == account.key || user.userPrincipalName.lowercasedASCII == account.key
      }
    }
  }
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
  package enum Kind: String, Sendable { case wipe, wipeAndBlock }

  package var kind: Kind
  package var user: AccountReference
  /// `nil` for every app.
  package var app: String?
  /// The time as written in the file.
  package var requested: String
}

/// The management of the device as a whole.
package struct MDMEnrollment: Hashable, Sendable {
  package var user: AccountReference
  package var appConfig: [String: String]
}

/// A user that the tenant lists.
package struct TenantUser: Hashable, Sendable {
  package struct ClockEntry: Hashable, Sendable {
    package var status: ClockStatus
    /// A time in RFC 3339, as written in the file.
    package var updated: String?
  }

  /// The Entra object id.
  package var id: String
  package var userPrincipalName: String
  package var displayName: String
  package var mail: String?
  package var isLicensed: Bool
  package var isEnabled: Bool
  /// Names or ids of groups.
  package var groups: [String]
  package var clock: ClockEntry?

  package var account: Account { Account(accountId: id.lowercasedASCII, identity: userPrincipalName) }
}

extension ConfigTokens {
  package init(user: TenantUser, tenantID: String) {
    self.init(
      userId: user.id, userPrincipalName: user.userPrincipalName, displayName: user.displayName, mail: user.mail,
      tenantId: tenantID)
  }
}
