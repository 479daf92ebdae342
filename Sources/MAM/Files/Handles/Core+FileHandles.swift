import Glibc
import Model
import Policy

extension Core {
  /// Opens a file; one that this makes or empties goes to the account, without one to the account that holds where no
  /// identity is set. `mode` is less what the process masks. What lies in the state folder can only be read.
  package func openFile(
    _ path: AbsolutePath, _ flags: [FileFlag], mode: UInt32 = 0o600, for account: AccountReference? = nil
  ) throws(MAMError) -> FileHandle {
    let services = try refresh()
    try state.checkPolicyIsThere()
    let access = try FileAccess(flags, path: path.text)
    let owner = newOwner(account)
    if access.creates || access.truncates { try checkNotWiping(account) }
    if access.creates || access.canWrite { try checkOutsideState(path) }
    return FileHandle(
      try OpenFile(path.text, access, mode: mode & 0o7777, for: owner, fileEnvironment(services)), access)
  }

  func fileEnvironment(_ services: CoreServices) -> FileEnvironment {
    let files = services.files
    return FileEnvironment(
      keys: files.keys, owners: files.ownership,
      mayUse: { [self] owner throws(MAMError) in
        try refresh()
        return state.mayRead(owner)
      },
      renew: { file throws(MAMError) in try files.renew(file) })
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
}
