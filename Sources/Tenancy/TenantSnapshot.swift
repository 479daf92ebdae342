import Model
import Policy

/// A tenant at one moment.
package struct TenantSnapshot: Sendable {
  package var tenantId = ""
  package var displayName = ""
  package var users: [TenantUser] = []
  /// Protection policies, in the order of their ids.
  package var policies: [PolicyDocument] = []
  /// App configurations, in the order of their ids.
  package var configurations: [ConfigurationDocument] = []
  package var assignments: [TenantAssignment] = []
  package var operations: [TenantOperation] = []
  /// Nil when every account is allowed.
  package var allowedAccounts: [AccountReference]?
  package var certificatePins = CertificatePins.none
  package var mdm: MDMEnrollment?
  package var warnings: [PolicyWarning] = []

  /// How the device is managed.
  package var managementLevel: AppManagementLevel { mdm == nil ? .unmanaged : .mdm }

  /// Nil when the tenant does not list the account.
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

/// What tenant.json says about the objects of a file; replaces their own groups and apps.
package struct TenantAssignment: Hashable, Sendable {
  /// Relative to the tenant's folder.
  package var file: String
  /// Names or ids; "*" is everybody.
  package var groups: [String]
  /// Identifiers; "*" is every app.
  package var apps: [String]
}

/// A wipe that an administrator asked for.
package struct TenantOperation: Hashable, Sendable {
  package enum Kind: String, Sendable { case wipe, wipeAndBlock }

  package var kind: Kind
  package var user: AccountReference
  /// Nil for every app.
  package var app: String?
  /// As the file has it.
  package var requested: String
}

/// The management of the device as a whole.
package struct MDMEnrollment: Hashable, Sendable {
  package var user: AccountReference
  package var appConfig: [String: String]
}

/// A user as the tenant lists him.
package struct TenantUser: Hashable, Sendable {
  package struct ClockEntry: Hashable, Sendable {
    package var status: ClockStatus
    /// RFC 3339, as the file has it.
    package var updated: String?
  }

  /// The Entra object id.
  package var id: String
  package var userPrincipalName: String
  package var displayName: String
  package var mail: String?
  package var isLicensed: Bool
  package var isEnabled: Bool
  /// Names or ids.
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
