import Model

extension CoreServices {
  /// Counts this app among those of a managed account. What fails here is told again by the first use of the keys.
  func countApp(for account: AccountState?) {
    guard let account, account.isManaged else { return }
    do throws(MAMError) {
      try keys.addApp(of: account.account)
    } catch {
      log.write(
        .error, .dataProtection,
        "the keys of \(personal: account.account) cannot be used: \(public: error.description)")
    }
  }

  /// What this app alone protected for the account cannot be read again, by any process.
  func destroyAppKeys(of account: Account) throws(MAMError) {
    defer { dataProtection.forgetKeys() }
    try keys.destroyAppKeys(of: account)
  }

  /// What apps of the account handed to each other can still be read by the others; by nobody when this was the last.
  func leaveApps(of account: Account) throws(MAMError) {
    defer { dataProtection.forgetKeys() }
    try keys.removeApp(of: account)
  }
}
