import Model
import Vault

extension Core {
  /// Data of a managed account is encrypted, that of any other only carries its owner's name.
  /// `forThisApp` keeps it from the account's other apps.
  package func protect(
    _ bytes: [UInt8]?, for reference: AccountReference?, forThisApp: Bool = false
  ) throws(MAMError) -> [UInt8] {
    guard let bytes, let reference else { throw .invalidArguments }
    return try withOwner(reference) { protection, owner, isManaged throws(MAMError) in
      try protection.protect(bytes, for: owner, encrypting: isManaged, forThisApp: forThisApp)
    }
  }

  package func protect(
    _ string: String?, for reference: AccountReference?, forThisApp: Bool = false
  ) throws(MAMError) -> String {
    guard let string, let reference else { throw .invalidArguments }
    return try withOwner(reference) { protection, owner, isManaged throws(MAMError) in
      try protection.protect(string, for: owner, encrypting: isManaged, forThisApp: forThisApp)
    }
  }

  /// What was never protected comes back unchanged.
  package func unprotect(_ bytes: [UInt8]?) throws(MAMError) -> [UInt8] {
    guard let bytes else { throw .invalidArguments }
    let (protection, state) = try openDataProtection()
    try state.checkManagement(isNeeded: protection.isEncrypted(bytes))
    return try protection.unprotect(bytes, canRead: state.mayRead)
  }

  package func unprotect(_ string: String?) throws(MAMError) -> String {
    guard let string else { throw .invalidArguments }
    let (protection, state) = try openDataProtection()
    try state.checkManagement(isNeeded: protection.isEncrypted(string))
    return try protection.unprotect(string, canRead: state.mayRead)
  }

  /// Nil for what was never protected, and for null.
  package func protectionInfo(_ bytes: [UInt8]?) throws(MAMError) -> Account? {
    guard let bytes else { return nil }
    return try openDataProtection().protection.owner(of: bytes)?.account
  }

  package func protectionInfo(_ string: String?) throws(MAMError) -> Account? {
    guard let string else { return nil }
    return try openDataProtection().protection.owner(of: string)?.account
  }

  func openDataProtection() throws(MAMError) -> (protection: DataProtection, state: CoreState) {
    let protection = try refresh().dataProtection
    let state = state
    try state.checkPolicyIsThere()
    return (protection, state)
  }

  private func withOwner<Result>(
    _ reference: AccountReference,
    _ body: (DataProtection, DataOwner, Bool) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    let (protection, state) = try openDataProtection()
    try state.checkManagement(isNeeded: true)
    let known = state.account(reference)
    try known?.checkNotWiping()
    let account = known?.account ?? state.directory.account(of: reference)
    return try body(protection, DataOwner(account, tenantId: known?.tenantId), known?.isManaged ?? false)
  }
}

extension CoreState {
  /// Whose encrypted data and files this app may read: those of its managed accounts.
  func mayRead(_ owner: DataOwner) -> Bool {
    guard let name = owner.accountId ?? owner.identity else { return false }
    return account(AccountReference(name)).map { $0.isManaged && !$0.isWiping } ?? false
  }

  func checkManagement(isNeeded: Bool) throws(MAMError) {
    guard isNeeded, !isManagementEnabled else { return }
    throw .applicationNotManaged
  }
}

extension DataOwner {
  init(_ account: Account, tenantId: String? = nil) {
    self.init(accountId: account.accountId, tenantId: tenantId, identity: account.identity)
  }

  package var account: Account { Account(accountId: accountId, identity: identity) }
}

extension AccountState {
  /// Nothing new may come to belong to an account whose data is being removed.
  func checkNotWiping() throws(MAMError) {
    guard isWiping else { return }
    throw MAMError(
      .failedToEncryptData, "the data of the account is being wiped",
      hint: "Enroll it again when policyManager.wipeDidComplete has been sent")
  }
}

extension MAMError {
  static let invalidArguments = MAMError(.invalidArguments, "the data or the account is null")
  static let applicationNotManaged = MAMError(
    .applicationNotManaged, "no account is managed", hint: "Enroll an account with a policy first")
}
