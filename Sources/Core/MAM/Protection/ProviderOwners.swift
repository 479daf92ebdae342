import Model
import SQLite
import Vault

/// What a file provider hands out: objects with names that only the host understands.
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

/// The owner of an object of a file provider, as it is stored.
struct ProviderOwner: Sendable {
  var kind: String
  var name: String
  /// Encoded as in the header of an encrypted file.
  var owner: [UInt8]

  static let table = Table(
    "provider_owners", since: 4, blank: ProviderOwner(kind: "", name: "", owner: [])
  ) { stored, column in
    column("kind", &stored.kind, .key)
    column("name", &stored.name, .key)
    column("owner", &stored.owner)
  }
}

/// The owners of the objects of file providers.
package struct ProviderOwners: Sendable {
  let live: LiveState

  private static let maximumName = 4096

  /// Stored until the object gets another owner.
  package func setOwner(of object: ProviderObject, _ reference: AccountReference?) throws(MAMError) {
    let services = try live.refresh()
    try live.state.checkPolicyIsThere()
    guard let reference else { throw .invalidArguments }
    guard (1...Self.maximumName).contains(object.name.utf8.count) else {
      throw MAMError(.invalidArguments, "the \(object.kind) is empty or longer than 4 KiB")
    }
    guard let owner = live.state.owner(reference).encoded else { throw .ownerTooLong }
    try services.store.change(at: live.now, live.configuration.clock.uptime) { transaction throws(SQLiteError) in
      let stored = ProviderOwner(kind: object.kind, name: object.name, owner: owner)
      try transaction.connection.save(stored, to: ProviderOwner.table)
    }
  }

  /// `nil` if the object has no owner.
  package func protectionInfo(of object: ProviderObject) throws(MAMError) -> FileProtectionInfo? {
    let services = try live.refresh()
    try live.state.checkPolicyIsThere()
    let stored = try services.store.read { connection throws(SQLiteError) in
      try connection.first(ProviderOwner.table, "WHERE kind = ? AND name = ?", object.kind, object.name)
    }
    return stored.flatMap { DataOwner(bytes: $0.owner) }.map { owner in
      FileProtectionInfo(
        accountId: owner.accountId, identity: owner.identity, isEncrypted: false, recordedIn: .store)
    }
  }
}

extension Connection {
  /// Removes the objects of file providers that belong to an owner for whom `isOwner` is true.
  func removeProviderOwners(where isOwner: (DataOwner) -> Bool) throws(SQLiteError) {
    for bytes in Set(try all(ProviderOwner.table).map(\.owner)) where DataOwner(bytes: bytes).map(isOwner) ?? false {
      try run("DELETE FROM provider_owners WHERE owner = ?", bytes)
    }
  }
}
