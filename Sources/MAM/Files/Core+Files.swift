import Model
import Policy
import Vault

/// Protecting, decrypting and checking files.
extension Core {
  /// Gives a file an owner; encrypts it when the owner's policy wants that, and decrypts it when it does not. Null is no
  /// user. Encrypts anew also what only has an older key, or one that other apps have too.
  package func protectFile(_ path: AbsolutePath, for reference: AccountReference?) throws(MAMError) {
    try guardedFile(path).protect(goal(for: reference, renewsKey: true), canRead: checkMayRead)
  }

  /// The same with every file of a folder. `renewsKey`: also where only the key is not the one of a new file. `root` is
  /// a folder that links on the path must not lead out of.
  package func protectFiles(
    _ path: AbsolutePath, for reference: AccountReference?, renewsKey: Bool, stayingIn root: AbsolutePath? = nil
  ) throws(MAMError) {
    try guardedFile(path, stayingIn: root).protectAll(
      goal(for: reference, renewsKey: renewsKey), canRead: checkMayRead)
  }

  private func goal(for reference: AccountReference?, renewsKey: Bool) throws(MAMError) -> FileGoal {
    try state.checkManagement(isNeeded: true)
    let reference = reference ?? .noUser
    try state.account(reference)?.checkNotWiping()
    let isEncrypted = state.account(reference)?.isFileEncryptionRequired ?? false
    return FileGoal(owner: state.owner(reference), isEncrypted: isEncrypted, renewsKey: renewsKey)
  }

  /// Encrypts a file for a managed account, so that its managed apps can read it, whatever its policy says.
  package func encryptFile(_ path: AbsolutePath, for reference: AccountReference?) throws(MAMError) {
    let file = try guardedFile(path)
    guard let reference else { throw .invalidArguments }
    try state.checkManagement(isNeeded: true)
    guard state.account(reference)?.isManaged ?? false else { throw .ownerNotManaged(path.text) }
    try state.account(reference)?.checkNotWiping()
    try file.protect(
      FileGoal(owner: state.owner(reference), isEncrypted: true, isShared: true), canRead: checkMayRead)
  }

  /// In place, or to a new file that is as plain and as owned. A file that is owned and plain stays as it is.
  /// Throws 1104 for one that is neither.
  package func decryptFile(_ path: AbsolutePath, to copy: AbsolutePath?) throws(MAMError) {
    try guardedFile(path).decrypt(to: copy, canRead: checkMayRead)
  }

  /// Looks at every page of a file, or of each file below a folder, in the order of their names. What `failed` gets
  /// cannot be read at all. Throws where there is nothing to begin with.
  package func checkFiles(
    _ path: AbsolutePath, found: @escaping (FileCheck) -> Void, failed: @escaping (MAMError) -> Void
  ) throws(MAMError) {
    let file = try guardedFile(path)
    try file.check(fileEnvironment(refresh().files), found: found, failed: failed)
  }

  /// What can be read of a file, damaged or not.
  package func surveyFile(_ path: AbsolutePath) throws(MAMError) -> FileSurvey {
    try FileSurvey(path, fileEnvironment(openFiles()))
  }

  /// A content for a file that may be there. It goes to the account, without one to the identity that acts, as with a
  /// handle that empties a file.
  package func draftFile(_ path: AbsolutePath, for account: AccountReference?) throws(MAMError) -> FileDraft {
    let file = try guardedFile(path)
    try file.checkReplaceable()
    try checkNotWiping(account)
    return try file.draft(for: newOwner(account), fileEnvironment(refresh().files))
  }

  /// A new file of the owner of another one, encrypted when the owner's policy requires it.
  package func draftCopy(of survey: FileSurvey, at path: AbsolutePath) throws(MAMError) -> FileDraft {
    let file = try guardedFile(path)
    try file.checkIsNew()
    let account = survey.owner.map { AccountReference($0.accountId ?? $0.identity ?? "") }
    if let account { try checkNotWiping(account) }
    let owner = account.map { newOwner($0) } ?? NewOwner(owner: nil, isEncrypting: false)
    return try file.draft(for: owner, fileEnvironment(refresh().files))
  }

  private func guardedFile(
    _ path: AbsolutePath, stayingIn root: AbsolutePath? = nil
  ) throws(MAMError) -> GuardedFile {
    try GuardedFile(path, openFiles(), stayingIn: root)
  }

  /// Throws where this app may not read what is encrypted for an owner.
  private func checkMayRead(_ owner: DataOwner) throws(MAMError) {
    try state.checkManagement(isNeeded: true)
    guard state.mayRead(owner) else {
      throw MAMError(
        .failedToDecryptData, "the encrypted file belongs to an account that this app is not managed for",
        hint: "Enroll its owner in this app")
    }
  }
}

extension CoreServices {
  /// Ends what killed processes have left behind. What fails is told in the log, and tried again at the next start.
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
    MAMError(
      .failedToEncryptData, "a file can only be encrypted for a managed account", hint: "Enroll the account first",
      path: path)
  }
}
