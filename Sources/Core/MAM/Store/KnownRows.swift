import Model
import SQLite
import Support

/// A registered account as the store has it: the same object for as long as its rows do not change.
final class KnownAccount: Sendable {
  let stored: StoredAccount

  init(_ stored: StoredAccount) {
    self.stored = stored
  }
}

/// The registered accounts in the order of registration, found by their names.
struct KnownAccounts: Sendable, RandomAccessCollection {
  private(set) var rows: [KnownAccount] = []
  private(set) var places = AccountPlaces()
  /// How many accounts count if only one may be enrolled.
  private(set) var takingPlace = 0

  init(_ accounts: [StoredAccount] = []) {
    rows = accounts.map(KnownAccount.init)
    places = AccountPlaces(accounts.lazy.map(\.account))
    takingPlace = accounts.count(where: \.takesPlace)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { rows.count }
  subscript(place: Int) -> StoredAccount { rows[place].stored }

  /// The first account of that name; `nil` for no user.
  func first(named reference: AccountReference, _ directory: AccountDirectory) -> StoredAccount? {
    places.candidates(reference, directory).lazy.map { self[$0] }.first { $0.isNamed(reference, directory) }
  }

  /// The accounts of that name. More than one until the policy source has said that they are the same user.
  func named(_ reference: AccountReference, _ directory: AccountDirectory) -> [StoredAccount] {
    places.candidates(reference, directory).map { self[$0] }.filter { $0.isNamed(reference, directory) }
  }

  var areAnyEnrolled: Bool { takingPlace > 0 || contains { $0.enrolledAt != nil } }

  func account(at position: Int) -> StoredAccount? {
    let place = place(of: position)
    return place < count && self[place].position == position ? self[place] : nil
  }

  /// Puts what the store has now at a position; `nil` if the account is gone.
  fileprivate mutating func replace(_ position: Int, by new: StoredAccount?) {
    let (place, old) = (place(of: position), account(at: position))
    takingPlace += (new?.takesPlace == true ? 1 : 0) - (old?.takesPlace == true ? 1 : 0)
    switch (old, new) {
    case (nil, nil): break
    case (let old?, let new?):
      rows[place] = KnownAccount(new)
      if old.account != new.account { places = AccountPlaces(lazy.map(\.account)) }
    case (nil, let new?) where place == count:
      rows.append(KnownAccount(new))
      places.add(new.account, at: place)
    default:
      if let new { rows.insert(KnownAccount(new), at: place) } else { rows.remove(at: place) }
      places = AccountPlaces(lazy.map(\.account))
    }
  }

  /// The place of the first account at or after the position.
  private func place(of position: Int) -> Int {
    partitioningIndex { $0.position >= position }
  }
}

/// The accounts and names of a database, which are read once.
///
/// After a commit of another connection, which SQLite counts, everything is read again. What a transaction of this
/// connection changes must be announced here; that alone is read again when it is next needed, and after a rollback.
final class KnownRows: Sendable {
  private struct Content: Sendable {
    /// SQLite's count of the commits of other connections.
    var version: Int64?
    /// `nil` until it is needed.
    var accounts: KnownAccounts?
    var directory: AccountDirectory?
    /// The documents, of which many accounts have the same.
    var texts: Set<String> = []
    /// The positions that have changed since they were read.
    var stale: Set<Int> = []
    /// The positions that the present transaction has changed.
    var changed: Set<Int> = []
    var hasChangedNames = false
  }

  private let content = Lock(Content())

  /// Call this at the beginning of each transaction.
  func begin(_ connection: Connection) throws(SQLiteError) {
    let version = try connection.foreignCommits
    content.withLock { content in
      if content.version != version { content = Content(version: version) }
    }
  }

  /// Runs a transaction. If it fails, what it has changed is read again.
  func following<Result, Failure: Error>(_ transaction: () throws(Failure) -> Result) throws(Failure) -> Result {
    do throws(Failure) {
      let result = try transaction()
      content.withLock { ($0.changed, $0.hasChangedNames) = ([], false) }
      return result
    } catch {
      content.withLock { content in
        content.stale.formUnion(content.changed)
        if content.hasChangedNames { content.directory = nil }
        (content.changed, content.hasChangedNames) = ([], false)
      }
      throw error
    }
  }

  /// Something of the account at this position has changed: its row, its documents or its wipe.
  func didChange(_ position: Int) {
    content.withLock { content in
      content.stale.insert(position)
      content.changed.insert(position)
    }
  }

  func didLearn(_ accountId: String, _ identity: String) {
    content.withLock { content in
      content.hasChangedNames = true
      content.directory = content.directory?.adding(accountId, identity)
    }
  }

  func didForgetNames() {
    content.withLock { ($0.hasChangedNames, $0.directory) = (true, nil) }
  }

  func accounts(_ connection: Connection) throws(SQLiteError) -> KnownAccounts {
    let (known, stale) = content.withLock { ($0.accounts, $0.stale) }
    guard var accounts = known else {
      let all = KnownAccounts(sharing(try connection.accounts()))
      content.withLock { ($0.accounts, $0.stale) = (all, []) }
      return all
    }
    guard !stale.isEmpty else { return accounts }
    // Otherwise, the list would be copied for the change.
    content.withLock { $0.accounts = nil }
    for position in stale.sorted() {
      let account = try connection.account(at: position)
      accounts.replace(position, by: sharing([account].compactMap(\.self)).first)
    }
    content.withLock { [accounts] in ($0.accounts, $0.stale) = (accounts, []) }
    return accounts
  }

  /// The same accounts, with one copy of each document that several of them have.
  private func sharing(_ accounts: [StoredAccount]) -> [StoredAccount] {
    content.withLock { content in
      if content.texts.count > Self.mostTexts { content.texts = [] }
      return accounts.map { account in
        var account = account
        account.documents = account.documents.mapValues { $0.map { content.texts.insert($0).memberAfterInsert } }
        return account
      }
    }
  }

  private static let mostTexts = 1000

  func directory(_ connection: Connection) throws(SQLiteError) -> AccountDirectory {
    if let known = content.withLock({ $0.directory }) { return known }
    let directory = AccountDirectory(try connection.dictionary(StoreSchema.directory))
    content.withLock { $0.directory = directory }
    return directory
  }
}

extension Connection {
  /// Reads everything.
  func accounts() throws(SQLiteError) -> [StoredAccount] {
    let wipes = try dictionary(StoredWipe.table)
    let documents = Dictionary(
      grouping: try all(StoredDocument.table, "ORDER BY account, kind, position"), by: \.account)
    var accounts = try all(StoredAccount.table, "ORDER BY position")
    for index in accounts.indices {
      let position = accounts[index].position
      accounts[index].wipe = wipes[position]
      accounts[index].documents = (documents[position] ?? []).byKind
    }
    return accounts
  }

  fileprivate func account(at position: Int) throws(SQLiteError) -> StoredAccount? {
    guard var account = try first(StoredAccount.table, "WHERE position = ?", position) else { return nil }
    account.wipe = try first(StoredWipe.table, "WHERE account = ?", position)?.value
    account.documents = try all(StoredDocument.table, "WHERE account = ? ORDER BY kind, position", position).byKind
    return account
  }
}

extension [StoredDocument] {
  fileprivate var byKind: [StoredAccount.DocumentKind: [String]] {
    Dictionary(grouping: self, by: \.kind).mapValues { $0.map(\.body) }
  }
}
