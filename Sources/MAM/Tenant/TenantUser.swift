import Model
import Policy

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
  init(user: TenantUser, tenantID: String) {
    self.init(
      userId: user.id, userPrincipalName: user.userPrincipalName, displayName: user.displayName, mail: user.mail,
      tenantId: tenantID)
  }
}
