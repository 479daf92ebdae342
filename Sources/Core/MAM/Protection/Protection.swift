import Model
import SQLite
import Vault

/// Protects data of accounts, and opens it again.
package struct Protection: Sendable {
  /// How many bytes are protected or opened on a thread that must not wait: at most 0.1 ms of work.
  private static let shortBytes = 64 << 10

  let live: LiveState
  let files: Files

  /// Encrypts data of a managed account; other data only carries the name of its owner. With `forThisApp`, the
  /// account's other apps cannot read the data.
  package func protect(
    _ bytes: [UInt8]?, for reference: AccountReference?, forThisApp: Bool = false, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<[UInt8]> {
    guard let bytes, let reference else { throw .invalidArguments }
    guard case .now(let (protection, state)) = try open(reach, bytes.count) else { return .needsDisk }
    try state.checkManagement(isNeeded: true)
    let known = state.account(reference)
    try known?.checkNotWiping()
    let account = known?.account ?? state.directory.account(of: reference)
    return try protection.protect(
      bytes, for: DataOwner(account, tenantId: known?.tenantId), encrypting: known?.isManaged ?? false,
      forThisApp: forThisApp, reach)
  }

  /// Returns data that was never protected unchanged.
  package func unprotect(_ bytes: [UInt8]?, _ reach: KeyReach) throws(MAMError) -> MemoryAnswer<[UInt8]> {
    guard let bytes else { throw .invalidArguments }
    guard case .now(let (protection, state)) = try open(reach, bytes.count) else { return .needsDisk }
    try state.checkManagement(isNeeded: protection.isEncrypted(bytes))
    return try protection.unprotect(bytes, reach, canRead: state.mayRead)
  }

  /// `nil` for data that was never protected, and for null.
  package func protectionInfo(_ bytes: [UInt8]?) throws(MAMError) -> Account? {
    guard let bytes else { return nil }
    return try open().protection.owner(of: bytes)?.account
  }

  func open() throws(MAMError) -> (protection: DataProtection, state: CoreState) {
    let protection = try live.refresh().dataProtection
    let state = live.state
    try state.checkPolicyIsThere()
    return (protection, state)
  }

  /// Needs the disk if memory is not up to date, or the bytes are many.
  func open(
    _ reach: KeyReach, _ byteCount: Int
  ) throws(MAMError) -> MemoryAnswer<(protection: DataProtection, state: CoreState)> {
    guard reach == .memory else { return .now(try open()) }
    guard byteCount <= Self.shortBytes, let current = live.currentProtection else { return .needsDisk }
    try current.state.checkPolicyIsThere()
    return .now(current)
  }
}

extension CoreState {
  /// Whether this app may read encrypted data and files of the owner, which must be one of its managed accounts.
  func mayRead(_ owner: DataOwner) -> Bool {
    guard let name = owner.accountId ?? owner.identity else { return false }
    return account(AccountReference(name)).map { $0.isManaged && !$0.isShut } ?? false
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
  /// Refuses new data for an account whose data is being removed, or would be if wipes were not on hold.
  func checkNotWiping() throws(MAMError) {
    if let hold, heldWipe != nil {
      throw MAMError(
        .failedToEncryptData, "the account is blocked. \(hold.text)",
        hint: "Try again after a check-in that ends the hold; tenant.status says when the next one is due")
    }
    guard isWiping else { return }
    throw MAMError(
      .failedToEncryptData, "the data of the account is being wiped",
      hint: "Enroll the account again after the event policyManager.wipeDidComplete")
  }
}

extension MAMError {
  static let invalidArguments = MAMError(.invalidArguments, "the data or the account is null")
  static let applicationNotManaged = MAMError(
    .applicationNotManaged, "no account is managed", hint: "Enroll an account that has a policy first")
}

extension Protection {
  /// The owner of the content. `nil` for null, for content that was never protected, and if there is no content.
  package func protectionInfo(_ provider: ItemProvider?) throws(MAMError) -> Account? {
    guard let provider else { return nil }
    if let data = provider.data { return try protectionInfo(data.bytes) }
    guard let path = provider.path ?? provider.url.flatMap(FileURL.init)?.path else { return nil }
    return try AbsolutePath(path).map { path throws(MAMError) in try files.owner(ofContentAt: path) } ?? nil
  }
}

/// The URL of a file on this machine (RFC 8089): file:///path, with or without localhost, percent-encoded.
struct FileURL {
  let path: String

  /// `nil` for any other URL.
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), text[..<colon].lowercased() == "file" else { return nil }
    var rest = text[text.index(after: colon)...].prefix { $0 != "?" && $0 != "#" }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let host = rest.prefix { $0 != "/" }
      guard host.isEmpty || host.lowercased() == "localhost" else { return nil }
      rest = rest.dropFirst(host.count)
    }
    guard rest.hasPrefix("/"), let path = Self.decode(rest.utf8) else { return nil }
    self.path = path
  }

  private static func decode(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension Protection {
  /// Changes the root secret of the key store. Throws like `KeyStore.changeSecret`, and creates nothing if there is no
  /// store.
  package func changeRootSecret(to new: RootSecretSource) throws(MAMError) {
    guard try KeyStore.header(in: live.configuration.stateFolder) != nil else {
      throw .noStore(live.configuration.stateFolder.keys)
    }
    let services = try live.refresh()
    try services.keys.changeSecret(to: new)
    services.log.write(.info, .dataProtection, "the root secret was changed")
  }

  /// Creates new keys for an account that is managed in this app, for all data protected from now on. Every app on this
  /// device that has the account is told to protect its data again. Data that is not protected again stays readable.
  package func rotateKeys(of reference: AccountReference) throws(MAMError) -> Account {
    let services = try live.refresh()
    guard let account = live.state.account(reference), account.isManaged else {
      throw MAMError(
        .applicationNotManaged, "the account is not managed in this app, so it has no keys here",
        hint: "Use --app-id to name an app in which the account is enrolled")
    }
    let appId = live.configuration.stateFolder.appId
    let others = try services.keys.rotate(DataOwner(account.account)).filter { $0 != appId }
    services.dataProtection.forgetKeys()
    for live in [live] + others.map(state(of:)) { try live.announceRotation(of: account.account) }
    return account.account
  }

  /// The state of another app on the same device.
  private func state(of appId: String) -> LiveState {
    var other = live.configuration
    other.stateFolder = other.stateFolder.forApp(appId)
    return LiveState(other)
  }
}

extension LiveState {
  fileprivate func announceRotation(of account: Account) throws(MAMError) {
    try commit { transaction throws(SQLiteError) in try transaction.append(.dataProtectionDidChange(account)) }
    try refresh().log.write(.info, .dataProtection, "new keys were created for \(personal: account)")
  }
}

extension CoreServices {
  /// Counts this app among those of a managed account. The first use of the keys reports a failure again.
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

  /// Afterwards, no process can read what this app alone protected for the account.
  func destroyAppKeys(of account: Account) throws(MAMError) {
    defer { dataProtection.forgetKeys() }
    try keys.destroyAppKeys(of: DataOwner(account))
  }

  /// What the apps of the account handed to each other stays readable for the others. If this was the last app, nobody
  /// can read it any longer.
  func leaveApps(of account: Account) throws(MAMError) {
    defer { dataProtection.forgetKeys() }
    try keys.removeApp(of: DataOwner(account))
  }
}
