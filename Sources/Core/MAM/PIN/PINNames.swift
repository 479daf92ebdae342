import Model
import SQLite
import Support
import Vault

/// Removes the name of a wiped account from its PINs. A PIN outlives a wipe, as in the SDK, but then names its user by
/// object id alone. A user without an object id cannot be recognized again, so the PIN is deleted.
///
/// Each hash is sealed together with its owner, so the hashes are sealed again.
struct PINNames: NameKeeper {
  let live: LiveState

  func forgetName(of account: Account, in services: CoreServices) throws(MAMError) {
    // PINs change only under this lock.
    try Folder.withLock(live.configuration.stateFolder.apps) { () throws(MAMError) in
      try forgetNameAlone(of: account, in: services)
    }
  }

  private func forgetNameAlone(of account: Account, in services: CoreServices) throws(MAMError) {
    let (accountId, identity) = (account.accountId ?? "", account.identity?.lowercasedASCII ?? "")
    let pins = try services.device.read { connection throws(SQLiteError) in
      try connection.pins(ofUser: accountId, identity).map { pin throws(SQLiteError) in
        (pin: pin, hashes: try connection.pinHashes(of: pin))
      }
    }
    for (pin, hashes) in pins ?? [] {
      let id = pin.owner.account.accountId ?? accountId
      guard !id.isEmpty else {
        try services.device.write { connection throws(SQLiteError) in try connection.remove(pin) }
        continue
      }
      let nameless = pin.owned(by: Account(accountId: id, identity: nil))
      let sealed = try hashes.map { hash throws(MAMError) in
        // A damaged hash stays as it is.
        try PINHash(hash, of: pin, by: services.keys)?.sealed(for: nameless, by: services.keys) ?? hash
      }
      try services.device.write { connection throws(SQLiteError) in try connection.move(nameless, with: sealed) }
    }
  }
}
