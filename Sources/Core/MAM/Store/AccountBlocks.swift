import Model
import SQLite

/// The accounts that hosts must hide, with the reasons. They are stored, so that every process knows them.
struct AccountBlocks: Sendable {
  /// By names in lower case.
  private let reasons: [String: BlockAccountReason]

  static let table = Table("blocked_accounts", since: 12, blank: Entry("", BlockAccountReason.notBlocked)) {
    block, column in
    column("name", &block.key, .key)
    column("reason", &block.value, .hasDefault)
  }

  init(_ reasons: [String: BlockAccountReason] = [:]) {
    self.reasons = reasons
  }

  func reason(of account: Account) -> BlockAccountReason {
    account.blockNames.lazy.compactMap { reasons[$0] }.first ?? .notBlocked
  }
}

extension BlockAccountReason: Storable {
  package var stored: String { rawValue }
  package init?(stored: String) { self.init(rawValue: stored) }
}

extension StoreTransaction {
  /// Notes that an account must be hidden, and tells hosts if that or its reason is new.
  func block(_ account: Account, _ reason: BlockAccountReason) throws(SQLiteError) {
    guard try blocks().reason(of: account) != reason else { return }
    for name in account.blockNames { try connection.save(Entry(name, reason), to: AccountBlocks.table) }
    try append(.policyDidChange(account))
  }

  /// Ends a block, and tells hosts if there was one.
  func endBlock(of account: Account) throws(SQLiteError) {
    guard try forgetBlock(of: account) else { return }
    try append(.policyDidChange(account))
  }

  /// Tells hosts that nothing of the account waits to be wiped any longer. Ends the block, unless it has another reason.
  func endHeldBlock(of account: Account) throws(SQLiteError) {
    if try blocks().reason(of: account) == .conditionalLaunchBlocked { try forgetBlock(of: account) }
    try append(.policyDidChange(account))
  }

  /// Ends a block without an event. Returns whether there was one.
  @discardableResult
  func forgetBlock(of account: Account) throws(SQLiteError) -> Bool {
    guard try blocks().reason(of: account) != .notBlocked else { return false }
    for name in account.blockNames { try connection.run("DELETE FROM blocked_accounts WHERE name = ?", name) }
    return true
  }

  func blocks() throws(SQLiteError) -> AccountBlocks { AccountBlocks(try connection.dictionary(AccountBlocks.table)) }
}

extension Account {
  fileprivate var blockNames: [String] { [accountId, identity].compactMap { $0?.lowercasedASCII } }
}
