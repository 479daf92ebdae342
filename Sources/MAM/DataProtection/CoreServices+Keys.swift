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

  /// Whatever this app protected for the account cannot be read again; what other apps of it share can, unless this was
  /// the last.
  func destroyKeys(of account: Account) throws(MAMError) {
    try keys.destroyAppKeys(of: account)
    try keys.removeApp(of: account)
    dataProtection.forgetKeys()
    log.write(.info, .dataProtection, "the keys of \(personal: account) are destroyed")
  }
}
