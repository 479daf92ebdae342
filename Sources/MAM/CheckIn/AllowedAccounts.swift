import JSON
import Model
import Policy
import SQLite
import Tenancy

extension Connection {
  /// Nil when the administrator set none.
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
  /// Remembers which accounts the administrator allows, and tells when they changed.
  func setAllowedAccounts(_ accounts: [Account]?) throws(SQLiteError) {
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
  /// The accounts that may be used in the app; nil for every one. The device's management may restrict them to its user.
  var effectiveAllowedAccounts: [Account]? {
    if let mdm, mdm.allowsOnlyItsUser { return [mdmAccount(mdm)] }
    return allowedAccounts.map { $0.map(account) }
  }

  /// The account that the device's management names in the app's configuration; nil when it names none.
  package var mdmEnrolledAccount: Account? {
    guard let mdm, mdm.value(.userPrincipalName) != nil || mdm.value(.objectId) != nil else { return nil }
    return mdmAccount(mdm)
  }

  private func mdmAccount(_ mdm: MDMEnrollment) -> Account {
    let known = account(mdm.user)
    let tokens = user(for: mdm.user).map { ConfigTokens(user: $0, tenantID: tenantId) }
    func text(_ key: MDMKey) -> String? { mdm.value(key).map { tokens?.replacing(in: $0) ?? $0 } }
    return Account(
      accountId: text(.objectId)?.lowercasedASCII ?? known.accountId,
      identity: text(.userPrincipalName) ?? known.identity)
  }

  /// With both halves where the tenant lists the user.
  private func account(_ reference: AccountReference) -> Account {
    user(for: reference)?.account ?? AccountDirectory([:]).account(of: reference)
  }
}

/// Keys of the configuration by which the device's management controls the app.
enum MDMKey: String {
  case userPrincipalName = "IntuneMAMUPN"
  case objectId = "IntuneMAMOID"
  case allowedAccountsOnly = "IntuneMAMAllowedAccountsOnly"
}

extension MDMEnrollment {
  func value(_ key: MDMKey) -> String? { appConfig[key.rawValue].flatMap { $0.isEmpty ? nil : $0 } }

  var allowsOnlyItsUser: Bool { value(.allowedAccountsOnly)?.lowercasedASCII == "enabled" }
}
