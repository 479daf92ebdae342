import Model
import SQLite
import Support

/// Takes the name of a wiped account out of its PINs. A PIN outlives a wipe, as in the SDK, but is the user's by object id
/// alone. A user without an object id cannot be recognized again, so the PIN goes.
///
/// The owner is authenticated with each sealed hash: hashes are sealed anew. The caller holds the lock of PINs.
struct PINNames {
  private let services: CoreServices
  private let accountId: String
  private let identity: String

  init(_ services: CoreServices, _ account: Account) {
    self.services = services
    accountId = account.accountId ?? ""
    identity = account.identity?.lowercasedASCII ?? ""
  }

  func forget() throws(MAMError) {
    let (accountId, identity) = (accountId, identity)
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
      let sealed = try hashes.map { hash throws(MAMError) in try sealAgain(hash, of: pin, for: nameless) }
      try services.device.write { connection throws(SQLiteError) in try connection.move(nameless, with: sealed) }
    }
  }

  /// A damaged hash stays as it is.
  private func sealAgain(_ hash: [UInt8], of pin: StoredPIN, for new: StoredPIN) throws(MAMError) -> [UInt8] {
    try PINHash(hash, of: pin, by: services.keys)?.sealed(for: new, by: services.keys) ?? hash
  }
}
