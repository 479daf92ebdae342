import Model
import SQLite
import Vault

extension Core {
  /// Hangs the store on another root secret. Throws as `KeyStore.changeSecret`; makes nothing where no store is.
  package func changeRootSecret(to new: RootSecretSource) throws(MAMError) {
    guard try KeyStore.header(in: configuration.stateFolder) != nil else {
      throw .noStore(configuration.stateFolder.keys)
    }
    let services = try refresh()
    try services.keys.changeSecret(to: new)
    services.log.write(.info, .dataProtection, "the root secret was changed")
  }

  /// New keys for an account that is managed in this app, for whatever is protected from now on. Every app on this
  /// device that has the account is told to protect its data anew; what it does not, stays readable.
  package func rotateKeys(of reference: AccountReference) throws(MAMError) -> Account {
    let services = try refresh()
    guard let account = state.account(reference), account.isManaged else {
      throw MAMError(
        .applicationNotManaged, "the account is not managed in this app, so it has no keys here",
        hint: "Name an app in which it is enrolled with --app-id")
    }
    let others = try services.keys.rotate(DataOwner(account.account)).filter { $0 != configuration.stateFolder.appId }
    services.dataProtection.forgetKeys()
    for core in [self] + others.map(core(of:)) { try core.tellRotation(of: account.account) }
    return account.account
  }

  /// That of another app on the same device.
  private func core(of appId: String) -> Core {
    var other = configuration
    other.stateFolder = configuration.stateFolder.forApp(appId)
    return Core(other)
  }

  private func tellRotation(of account: Account) throws(MAMError) {
    try commit { transaction throws(SQLiteError) in try transaction.append(.dataProtectionDidChange(account)) }
    try refresh().log.write(.info, .dataProtection, "the keys of \(personal: account) are new")
  }
}

extension CoreServices {
  /// Counts this app among those of a managed account. What fails here is told again by the first use of the keys.
  func countApp(for account: AccountState?) {
    guard let account, account.isManaged else { return }
    do throws(MAMError) {
      try keys.addApp(of: DataOwner(account.account))
    } catch {
      log.write(
        .error, .dataProtection,
        "the keys of \(personal: account.account) cannot be used: \(public: error.description)")
    }
  }

  /// What this app alone protected for the account cannot be read again, by any process.
  func destroyAppKeys(of account: Account) throws(MAMError) {
    defer { dataProtection.forgetKeys() }
    try keys.destroyAppKeys(of: DataOwner(account))
  }

  /// What apps of the account handed to each other can still be read by the others; by nobody when this was the last.
  func leaveApps(of account: Account) throws(MAMError) {
    defer { dataProtection.forgetKeys() }
    try keys.removeApp(of: DataOwner(account))
  }
}
