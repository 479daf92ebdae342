import Model
import SQLite
import Vault

/// What a file provider hands out: opaque names of the host's.
package enum ProviderObject: Hashable, Sendable {
  case enumerator(String)
  case item(String)

  fileprivate var kind: String {
    switch self {
    case .enumerator: "enumerator"
    case .item: "item"
    }
  }

  fileprivate var name: String {
    switch self {
    case .enumerator(let name), .item(let name): name
    }
  }
}

/// Whose the objects of file providers are.
package struct ProviderOwners: Sendable {
  let core: Core

  private static let maximumName = 4096

  /// Kept in the store until it is given another owner.
  package func setOwner(of object: ProviderObject, _ reference: AccountReference?) throws(MAMError) {
    let services = try core.refresh()
    try core.state.checkPolicyIsThere()
    guard let reference else { throw .invalidArguments }
    guard (1...Self.maximumName).contains(object.name.utf8.count) else {
      throw MAMError(.invalidArguments, "the \(object.kind) is empty or longer than 4 KiB")
    }
    guard let owner = core.state.owner(reference).encoded else { throw .ownerTooLong }
    try services.store.change(at: core.now) { transaction throws(SQLiteError) in
      let sql = "INSERT OR REPLACE INTO provider_owners (kind, name, owner) VALUES (?, ?, ?)"
      try transaction.connection.run(sql, object.kind, object.name, owner)
    }
  }

  /// Nil for one that was given nobody.
  package func protectionInfo(of object: ProviderObject) throws(MAMError) -> FileProtectionInfo? {
    let services = try core.refresh()
    try core.state.checkPolicyIsThere()
    let bytes = try services.store.read { connection throws(SQLiteError) -> [UInt8]? in
      let sql = "SELECT owner FROM provider_owners WHERE kind = ? AND name = ?"
      return try connection.first(sql, object.kind, object.name) { row in try row.value(0) }
    }
    return bytes.flatMap(DataOwner.init(bytes:)).map { owner in
      FileProtectionInfo(
        accountId: owner.accountId, identity: owner.identity, isEncrypted: false, recordedIn: .store)
    }
  }
}

extension Connection {
  /// What file providers name, and who `isOwner` names owns.
  func removeProviderOwners(where isOwner: (DataOwner) -> Bool) throws(SQLiteError) {
    let owners = try query("SELECT DISTINCT owner FROM provider_owners") { row throws(SQLiteError) in
      try row.value(0, as: [UInt8].self)
    }
    for bytes in owners where DataOwner(bytes: bytes).map(isOwner) ?? false {
      try run("DELETE FROM provider_owners WHERE owner = ?", bytes)
    }
  }
}
