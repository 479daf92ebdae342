import Model
import Policy
import Vault

/// Opening files, and asking about them.
extension Core {
  /// Opens a file; one that this makes or empties goes to the account, without one to the account that holds where no
  /// identity is set. `mode` is less what the process masks. What lies in the state folder can only be read.
  package func openFile(
    _ path: AbsolutePath, _ flags: [FileFlag], mode: UInt32 = 0o600, for account: AccountReference? = nil
  ) throws(MAMError) -> FileHandle {
    let files = try openFiles()
    let access = try FileAccess(flags, path: path.text)
    let owner = newOwner(account)
    if access.creates || access.truncates { try checkNotWiping(account) }
    if access.creates || access.canWrite { try checkOutsideState(path) }
    return try FileHandle(path, access, mode: mode & 0o7777, for: owner, fileEnvironment(files))
  }

  /// False for what is no file.
  package func isFileEncrypted(_ path: AbsolutePath) throws(MAMError) -> Bool { try openFiles().isEncrypted(path) }

  /// Nil for what has no owner, and for what is no file.
  package func fileProtectionInfo(_ path: AbsolutePath) throws(MAMError) -> FileProtectionInfo? {
    try openFiles().ownedFile(path).map(FileProtectionInfo.init)
  }

  /// As `fileProtectionInfo`, but throws for what is not there or no file.
  package func protectionInfo(ofFile path: AbsolutePath) throws(MAMError) -> FileProtectionInfo? {
    try openFiles().existingOwnedFile(path).map(FileProtectionInfo.init)
  }

  /// The owner of a protected file, or of the protected buffer that a file holds.
  package func owner(ofContentAt path: AbsolutePath) throws(MAMError) -> Account? {
    let files = try openFiles()
    return try files.owner(ofContentAt: path, refresh().dataProtection)?.account
  }

  /// Refuses while a policy is required and none is there.
  func openFiles() throws(MAMError) -> FileProtection {
    let services = try refresh()
    try state.checkPolicyIsThere()
    return services.files
  }

  /// Refuses a file in the state folder. A path that leads nowhere is told by whoever opens it.
  package func checkOutsideState(_ path: AbsolutePath) throws(MAMError) {
    try GuardedFile.check(path, isOutside: configuration.stateFolder.root)
  }

  func fileEnvironment(_ files: FileProtection) -> FileEnvironment {
    FileEnvironment(files: files) { [self] owner throws(MAMError) in
      try refresh()
      return state.mayRead(owner)
    }
  }

  func newOwner(_ reference: AccountReference?) -> NewOwner {
    let state = state
    guard let account = reference.map({ state.account($0) }) ?? state.effectiveAccount else {
      let owner = reference.map { DataOwner(state.directory.account(of: $0), tenantId: nil) }
      return NewOwner(owner: owner, isEncrypting: false)
    }
    let questions = PolicyQuestions(policy: account.policy, account: account.reference)
    return NewOwner(
      owner: DataOwner(account.account, tenantId: account.tenantId),
      isEncrypting: questions.isFileEncryptionRequired.value)
  }

  /// Refuses an account whose data is being wiped; without an account the one that acts.
  func checkNotWiping(_ reference: AccountReference?) throws(MAMError) {
    try (reference.map { state.account($0) } ?? state.effectiveAccount)?.checkNotWiping()
  }
}

extension CoreState {
  /// With all that is known of the account.
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
  /// Whose file it is; nil for nobody's.
  package func protectionInfo() throws(MAMError) -> Account? { try owner()?.account }
}
