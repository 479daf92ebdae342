import Glibc
import Model
import Policy

/// A place that is to be changed, and what changes it.
struct OpenFiles {
  let protection: FileProtection
  let location: FileLocation
  let state: StateGuard

  /// One file.
  func protect(_ goal: FileGoal, canRead: FileProtection.CanRead) throws(MAMError) {
    let progress = FileProgress(total: try location.status()?.size ?? 0)
    try protection.protect(location, goal, canRead: canRead, progress)
    progress.end()
  }
}

extension Core {
  /// Refuses while a policy is required and none is there.
  @discardableResult
  func openFiles() throws(MAMError) -> FileProtection {
    let services = try refresh()
    try state.checkPolicyIsThere()
    return services.files
  }

  /// Refuses what lies in a state folder, whoever's it is, or where there are no data of users; and what does not lie in
  /// `root`, whatever links are on the way.
  func openFiles(at path: AbsolutePath, stayingIn root: AbsolutePath? = nil) throws(MAMError) -> OpenFiles {
    let protection = try openFiles()
    let state = StateGuard(root: configuration.stateFolder.root, looksAround: true)
    let location = try FileLocation(path)
    try state.check(location.folder)
    if let root { try StateGuard.check(location.folder, staysIn: root) }
    return OpenFiles(protection: protection, location: location, state: state)
  }

  /// Refuses a file in the state folder. A path that leads nowhere is told by whoever opens it.
  package func checkOutsideState(_ path: AbsolutePath) throws(MAMError) {
    guard let location = try? FileLocation(path) else { return }
    try StateGuard(root: configuration.stateFolder.root, looksAround: false).check(location.folder)
  }

  /// Refuses an account whose data is being wiped; without an account the one that acts.
  func checkNotWiping(_ reference: AccountReference?) throws(MAMError) {
    try (reference.map { state.account($0) } ?? state.effectiveAccount)?.checkNotWiping()
  }

  /// Throws where this app may not read what is encrypted for an owner.
  func checkMayRead(_ owner: DataOwner) throws(MAMError) {
    try state.checkManagement(isNeeded: true)
    guard state.mayRead(owner) else {
      throw MAMError(
        .failedToDecryptData, "the encrypted file belongs to an account that this app is not managed for",
        hint: "Enroll its owner in this app")
    }
  }
}

extension CoreState {
  /// With all that is known of the account.
  func owner(_ reference: AccountReference) -> DataOwner {
    let known = account(reference)
    return DataOwner(known?.account ?? directory.account(of: reference), tenantId: known?.tenantId)
  }
}

extension AccountState {
  var isFileEncryptionRequired: Bool {
    PolicyQuestions(policy: policy, account: reference).isFileEncryptionRequired.value
  }
}

extension FileLocation {
  var isFolder: Bool {
    get throws(MAMError) { try status()?.kind == .folder }
  }
}

extension FileProtectionInfo {
  init(_ file: OwnedFile) {
    self.init(
      accountId: file.owner.accountId, identity: file.owner.identity, isEncrypted: file.isEncrypted,
      recordedIn: file.place)
  }
}

extension BufferHeader {
  /// Enough to read the owner of any buffer.
  static let maximumLength = 4096
}

extension DiskFile {
  func start(count: Int) throws(MAMError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = try bytes.withRawMutableBytes { bytes throws(MAMError) in try read(into: bytes, at: 0) }
    return Array(bytes[..<found])
  }
}

extension MAMError {
  static func ownerNotManaged(_ path: String) -> MAMError {
    MAMError(
      .failedToEncryptData, "a file can only be encrypted for a managed account", hint: "Enroll the account first",
      path: path)
  }

  static func notProtected(_ path: String) -> MAMError {
    MAMError(
      .dataNotProtected, "the file is neither encrypted nor owned", hint: "There is nothing to decrypt", path: path)
  }
}
