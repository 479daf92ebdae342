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
  /// Stores what the policy source says about the app and its device, besides what it says about an account.
  func learn(aboutApp snapshot: TenantSnapshot) throws(SQLiteError) {
    try setAllowedAccounts(snapshot.effectiveAllowedAccounts)
    let management = DeviceManagement(isDeviceManaged: snapshot.mdm != nil, isConfined: snapshot.isConfined)
    try connection.save(management)
    try setMDMEnrolledAccount(snapshot.mdmEnrolledAccount)
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
  /// The accounts that may be used in the app; `nil` if every account may. The management of the device can restrict
  /// the app to the device's user.
  var effectiveAllowedAccounts: [Account]? {
    if let mdm, isConfined { return [mdmAccount(mdm)] }
    return allowedAccounts.map { $0.map(account) }
  }

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
