import Glibc
import Model
import Policy
import Vault

/// Opens, protects, decrypts and checks files.
package struct Files: Sendable {
  let live: LiveState

  /// Gives a file an owner. Encrypts the file if the owner's policy requires that, and otherwise decrypts it. Null is
  /// no user. A file whose key is old, or known to other apps too, is encrypted again.
  package func protect(_ path: AbsolutePath, for reference: AccountReference?) throws(MAMError) {
    try guardedFile(path).protect(goal(for: reference, renewsKey: true), canRead: checkMayRead)
  }

  /// Like `protect`, for every file in a folder. With `renewsKey`, a file is also encrypted again if its key is not the
  /// one for new files. Links in the path must not lead out of `root`. `told` receives what became
  /// of each file.
  package func protectAll(
    _ path: AbsolutePath, for reference: AccountReference?, renewsKey: Bool, stayingIn root: AbsolutePath? = nil,
    told: @escaping (ProtectedFile) -> Void = { _ in }
  ) throws(MAMError) {
    try guardedFile(path, stayingIn: root).protectAll(
      goal(for: reference, renewsKey: renewsKey), canRead: checkMayRead, told: told)
  }

  /// What files of this owner would be here. Throws while a policy is required and there is none, and if no account is
  /// managed.
  package func ownership(of reference: AccountReference) throws(MAMError) -> FileOwnerKind {
    _ = try protection()
    let state = live.state
    try state.checkManagement(isNeeded: true)
    if reference.kind == .noUser { return .nobody }
    guard let account = state.account(reference), account.isManaged else {
      return .unmanaged(managed: state.managedAccounts.compactMap { $0.account.identity ?? $0.account.accountId })
    }
    let name = account.account.identity ?? account.account.accountId ?? reference.text
    return .managed(name: name, isEncrypting: account.isFileEncryptionRequired)
  }

  private func goal(for reference: AccountReference?, renewsKey: Bool) throws(MAMError) -> FileGoal {
    try live.state.checkManagement(isNeeded: true)
    let reference = reference ?? .noUser
    try live.state.account(reference)?.checkNotWiping()
    let isEncrypted = live.state.account(reference)?.isFileEncryptionRequired ?? false
    return FileGoal(owner: live.state.owner(reference), isEncrypted: isEncrypted, renewsKey: renewsKey)
  }

  /// Encrypts a file for a managed account, so that its managed apps can read it, whatever its policy says.
  package func encrypt(_ path: AbsolutePath, for reference: AccountReference?) throws(MAMError) {
    let file = try guardedFile(path)
    guard let reference else { throw .invalidArguments }
    try live.state.checkManagement(isNeeded: true)
    guard live.state.account(reference)?.isManaged ?? false else { throw .ownerNotManaged(path.text) }
    try live.state.account(reference)?.checkNotWiping()
    try file.protect(
      FileGoal(owner: live.state.owner(reference), isEncrypted: true, isShared: true), canRead: checkMayRead)
  }

  /// Decrypts a file in place, or into a new file that is not encrypted and has the same owner. A file that has an
  /// owner but is not encrypted stays as it is. Throws 1104 if the file is not encrypted and has no owner.
  package func decrypt(_ path: AbsolutePath, to copy: AbsolutePath?) throws(MAMError) {
    try guardedFile(path).decrypt(to: copy, canRead: checkMayRead)
  }

  /// Checks every page of a file, or of each file below a folder, in the order of their names. `failed` receives the
  /// errors of files that cannot be read at all. Throws if there is nothing to check.
  package func check(
    _ path: AbsolutePath, found: @escaping (FileCheck) -> Void, failed: @escaping (MAMError) -> Void
  ) throws(MAMError) {
    let file = try guardedFile(path)
    try file.check(environment(live.refresh().files), found: found, failed: failed)
  }

  /// Finds out what can be read of a file, damaged or not.
  package func survey(_ path: AbsolutePath) throws(MAMError) -> FileSurvey {
    try FileSurvey(path, environment(protection()))
  }

  /// Starts new content for a file that may exist. The file then belongs to the account; defaults to the effective
  /// account, as with a handle that empties a file.
  package func draft(_ path: AbsolutePath, for account: AccountReference?) throws(MAMError) -> FileDraft {
    let file = try guardedFile(path)
    try file.checkReplaceable()
    try checkNotWiping(account)
    return try file.draft(for: newOwner(account), environment(live.refresh().files))
  }

  /// Starts a new file with the owner of another file. The file is encrypted if the owner's policy requires that.
  package func draftCopy(of survey: FileSurvey, at path: AbsolutePath) throws(MAMError) -> FileDraft {
    let file = try guardedFile(path)
    try file.checkIsNew()
    let account = survey.owner.map { AccountReference($0.accountId ?? $0.identity ?? "") }
    if let account { try checkNotWiping(account) }
    let owner = account.map { newOwner($0) } ?? NewOwner(owner: nil, isEncrypting: false)
    return try file.draft(for: owner, environment(live.refresh().files))
  }

  private func guardedFile(
    _ path: AbsolutePath, stayingIn root: AbsolutePath? = nil
  ) throws(MAMError) -> GuardedFile {
    try GuardedFile(path, protection(), stayingIn: root)
  }

  /// Throws if this app may not read encrypted files of the owner.
  private func checkMayRead(_ owner: DataOwner) throws(MAMError) {
    try live.state.checkManagement(isNeeded: true)
    guard live.state.mayRead(owner) else {
      throw MAMError(
        .failedToDecryptData, "the encrypted file belongs to an account that is not managed in this app",
        hint: "Enroll the owner of the file in this app")
    }
  }
}

/// What an account means for the files that it owns.
package enum FileOwnerKind: Equatable, Sendable {
  /// Explicitly no user: files stay plain.
  case nobody
  /// Files stay plain, because no policy applies to the account. `managed` names the accounts with a policy.
  case unmanaged(managed: [String])
  /// `isEncrypting`: the account's policy requires that its files are encrypted.
  case managed(name: String, isEncrypting: Bool)
}

extension CoreServices {
  /// Cleans up after killed processes. Failures are logged, and tried again at the next start.
  func removeLeftovers() {
    do throws(MAMError) {
      try files.removeLeftovers { error in
        log.write(.error, .dataProtection, "a temporary file cannot be removed: \(public: error.description)")
      }
    } catch {
      log.write(.error, .dataProtection, "temporary files cannot be removed: \(public: error.description)")
    }
  }
}

extension AccountState {
  var isFileEncryptionRequired: Bool {
    PolicyQuestions(policy: policy, account: reference).isFileEncryptionRequired.value
  }
}

extension MAMError {
  fileprivate static func ownerNotManaged(_ path: String) -> MAMError {
    var error = MAMError(
      .failedToEncryptData, "a file can only be encrypted for a managed account", hint: "Enroll the account first",
      path: path)
    error.fileStatus = .unmanagedIdentity
    return error
  }
}

/// Opens files, and answers questions about them.
extension Files {
  /// Opens a file. A file that this call creates or empties belongs to the account; defaults to the effective account.
  /// The umask of the process applies to `mode`. Files in the state folder can only be read.
  package func open(
    _ path: AbsolutePath, _ flags: [FileFlag], mode: UInt32 = 0o600, for account: AccountReference? = nil
  ) throws(MAMError) -> FileHandle {
    let files = try protection()
    let access = try FileAccess(flags, path: path.text)
    let owner = newOwner(account)
    if access.creates || access.truncates { try checkNotWiping(account) }
    if access.creates || access.canWrite { try checkOutsideState(path) }
    return try FileHandle(path, access, mode: mode & 0o7777, for: owner, environment(files))
  }

  /// Whether nothing has this path. False if that cannot be found out.
  package func isMissing(_ path: AbsolutePath) -> Bool {
    do throws(MAMError) {
      return try FileLocation(path).status() == nil
    } catch {
      return error.fault?.number == ENOENT
    }
  }

  /// False if the path is not a file.
  package func isEncrypted(_ path: AbsolutePath) throws(MAMError) -> Bool { try protection().isEncrypted(path) }

  /// `nil` if the file has no owner, or if the path is not a file.
  package func protectionInfo(_ path: AbsolutePath) throws(MAMError) -> FileProtectionInfo? {
    try protection().ownedFile(path).map(FileProtectionInfo.init)
  }

  /// Like `protectionInfo`, but throws if the path is missing or not a file.
  package func protectionInfo(ofFile path: AbsolutePath) throws(MAMError) -> FileProtectionInfo? {
    try protection().existingOwnedFile(path).map(FileProtectionInfo.init)
  }

  /// The owner of a protected file, or of the protected buffer that a file holds.
  package func owner(ofContentAt path: AbsolutePath) throws(MAMError) -> Account? {
    let files = try protection()
    return try files.owner(ofContentAt: path, live.refresh().dataProtection)?.account
  }

  /// Throws 4001 if a policy is required but no account has one.
  func protection() throws(MAMError) -> FileProtection {
    let services = try live.refresh()
    try live.state.checkPolicyIsThere()
    return services.files
  }

  /// Refuses a file in the state folder. The code that opens the file reports a path that leads nowhere.
  package func checkOutsideState(_ path: AbsolutePath) throws(MAMError) {
    try GuardedFile.check(path, isOutside: live.configuration.stateFolder.root)
  }

  func environment(_ files: FileProtection) -> FileEnvironment {
    FileEnvironment(files: files) { [self] owner throws(MAMError) in
      try live.refresh()
      return live.state.mayRead(owner)
    }
  }

  func newOwner(_ reference: AccountReference?) -> NewOwner {
    let state = live.state
    guard let account = reference.map({ state.account($0) }) ?? state.effectiveAccount else {
      let owner = reference.map { DataOwner(state.directory.account(of: $0), tenantId: nil) }
      return NewOwner(owner: owner, isEncrypting: false)
    }
    let questions = PolicyQuestions(policy: account.policy, account: account.reference)
    return NewOwner(
      owner: DataOwner(account.account, tenantId: account.tenantId),
      isEncrypting: questions.isFileEncryptionRequired.value)
  }

  /// Refuses an account whose data is being wiped; defaults to the effective account.
  func checkNotWiping(_ reference: AccountReference?) throws(MAMError) {
    try (reference.map { live.state.account($0) } ?? live.state.effectiveAccount)?.checkNotWiping()
  }
}

extension CoreState {
  /// The owner, with everything that is known of the account.
  func owner(_ reference: AccountReference) -> DataOwner {
    let known = account(reference)
    return DataOwner(known?.account ?? directory.account(of: reference), tenantId: known?.tenantId)
  }
}

extension FileProtectionInfo {
  init(_ file: OwnedFile) {
    self.init(
      accountId: file.owner.accountId, identity: file.owner.identity, isEncrypted: file.isEncrypted,
      recordedIn: file.place)
  }
}

extension FileHandle {
  /// The owner of the file; `nil` if there is none.
  package func protectionInfo() throws(MAMError) -> Account? { try owner()?.account }
}
