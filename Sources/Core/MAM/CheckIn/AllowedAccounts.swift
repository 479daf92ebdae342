import JSON
import Model
import Policy
import SQLite
import Tenancy

extension Connection {
  /// The accounts that the administrator allows; `nil` if every account is allowed.
  var allowedAccounts: [Account]? {
    get throws(SQLiteError) {
      guard let text = try fact(allowedAccountsName), let document = try? JSONDocument(parsing: text) else {
        return nil
      }
      return try? [Account].decode(document.root)
    }
  }
}

extension StoreTransaction {
  /// The names that an answer of the policy source lets the state learn.
  func names(in inquiry: PolicyInquiry) throws(SQLiteError) -> AccountDirectory {
    inquiry.names(besides: try connection.dictionary(StoreSchema.testPolicies).keys)
  }

  /// Stores what the policy source says about the app and its device, besides what it says about an account. What it
  /// does not mention stays. The management of the device can restrict the app to the device's user.
  func learn(aboutApp inquiry: PolicyInquiry) throws(SQLiteError) {
    if let tenant = inquiry.management {
      let management = DeviceManagement(isDeviceManaged: tenant.mdm != nil, isConfined: tenant.isConfined)
      try connection.save(management)
      try setMDMEnrolledAccount(tenant.mdmEnrolledAccount)
      if let account = tenant.confiningAccount { return try setAllowedAccounts([account]) }
    }
    guard let tenant = inquiry.allowance, try !connection.deviceManagement.isConfined else { return }
    try setAllowedAccounts(tenant.accountsAllowed)
  }

  /// Stores which accounts the administrator allows, and sends an event if they changed.
  private func setAllowedAccounts(_ accounts: [Account]?) throws(SQLiteError) {
    guard try connection.allowedAccounts != accounts else { return }
    if let accounts {
      try connection.save(Entry(allowedAccountsName, accounts.jsonText), to: StoreSchema.facts)
    } else {
      try connection.run("DELETE FROM facts WHERE name = ?", allowedAccountsName)
    }
    try append(.allowedAccountsDidChange(AllowedAccounts(allowedAccounts: accounts)))
  }
}

private let allowedAccountsName = "allowedAccounts"

extension TenantSnapshot {
  /// The accounts that the tenant allows; `nil` if it allows every account.
  fileprivate var accountsAllowed: [Account]? { allowedAccounts.map { $0.map(account) } }

  /// The only account that the management of the device allows; `nil` if it does not confine the app to one.
  fileprivate var confiningAccount: Account? { mdm.flatMap { isConfined ? mdmAccount($0) : nil } }

  /// Whether the management of the device confines the app to one account.
  var isConfined: Bool { mdm?.allowsOnlyItsUser == true }

  /// Whether the management of the device is that of the user's account.
  func isDeviceUser(_ user: TenantUser) -> Bool { mdm.map { self.user(for: $0.user) == user } ?? false }

  /// The account that the management of the device names in the app's configuration; `nil` if it names none.
  package var mdmEnrolledAccount: Account? {
    guard let mdm, mdm.value(.userPrincipalName) != nil || mdm.value(.objectId) != nil else { return nil }
    return mdmAccount(mdm)
  }

  private func mdmAccount(_ mdm: MDMEnrollment) -> Account {
    let known = account(mdm.user)
    let tokens = user(for: mdm.user).map { ConfigTokens(user: $0, tenantID: tenantId) }
    func text(_ key: SteeringKey) -> String? { mdm.value(key).map { tokens?.replacing(in: $0) ?? $0 } }
    return Account(
      accountId: text(.objectId)?.lowercasedASCII ?? known.accountId,
      identity: text(.userPrincipalName) ?? known.identity)
  }

  /// The user of an account, but not a deleted user whose name belongs to another one now.
  func currentUser(for reference: AccountReference) -> TenantUser? {
    guard let user = user(for: reference) else { return nil }
    return user.isDeleted && self.user(for: AccountReference(user.userPrincipalName)) != user ? nil : user
  }

  /// The account, with both object id and name if the tenant lists the user.
  private func account(_ reference: AccountReference) -> Account {
    user(for: reference)?.account ?? AccountDirectory([:]).account(of: reference)
  }
}

extension MDMEnrollment {
  /// The value of a key that the management of the device delivers; `nil` if it is empty.
  func value(_ key: SteeringKey) -> String? { appConfig[key.rawValue].flatMap { $0.isEmpty ? nil : $0 } }

  var allowsOnlyItsUser: Bool { value(.allowedAccountsOnly)?.lowercasedASCII == "enabled" }
}
