import Model
import Policy
import SQLite
import Support

/// The contents of the store at one moment.
struct StoredState: Sendable {
  let accounts: KnownAccounts
  let directory: AccountDirectory
  /// `nil` for a state that was never changed.
  let time: StateTime?
  /// `nil` if the administrator has not set any.
  let allowedAccounts: [Account]?
  let management: DeviceManagement
  /// The user that the device is managed for; `nil` for nobody.
  let mdmEnrolledAccount: Account?
  /// The number of the newest event; 0 if there has been none.
  let newestEvent: Int64
  /// Overrides of settings by name, as JSON text.
  let overrides: [String: String]
  let signIns: SignIns
  let blocks: AccountBlocks
  /// Test policies as JSON texts by the name of the account; "" for every account.
  let testPolicies: [String: String]
  /// When the policy source must next be told something; `nil` if there is nothing to tell.
  let nextReport: Timestamp?

  init(from connection: Connection, _ rows: KnownRows) throws(SQLiteError) {
    accounts = try rows.accounts(connection)
    directory = try rows.directory(connection)
    time = try connection.stateTime
    allowedAccounts = try connection.allowedAccounts
    management = try connection.deviceManagement
    mdmEnrolledAccount = try connection.mdmEnrolledAccount
    newestEvent = try connection.newestEvent
    overrides = try connection.dictionary(StoreSchema.overrides)
    signIns = SignIns(try connection.dictionary(SignIns.table))
    blocks = AccountBlocks(try connection.dictionary(AccountBlocks.table))
    testPolicies = try connection.dictionary(StoreSchema.testPolicies)
    nextReport = try connection.nextReport
  }
}

extension StoredState {
  /// The time of the state. On a manual clock, it is at least the time to which any app has moved that clock.
  func time(sharing shared: Timestamp?, _ clock: any Clock) -> StateTime? {
    guard clock.manual != nil, let shared else { return time }
    guard var time else { return StateTime(shared) }
    time.advance(to: shared, nil)
    return time
  }
}

extension Connection {
  func fact(_ name: String) throws(SQLiteError) -> String? {
    try first(StoreSchema.facts, "WHERE name = ?", name)?.value
  }
}
