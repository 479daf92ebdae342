import Model
import Policy
import SQLite

/// What a change of the store needs to know of test policies beside those that it holds itself.
struct PolicyTesting: Sendable {
  /// The one that the core is started with.
  var configured: TestSettings?
  /// The device's.
  var platform = DevicePlatform.ios
}

extension StoreTransaction {
  func testPolicies() throws(SQLiteError) -> TestPolicies {
    TestPolicies(stored: try connection.testPolicies(), configured: testing.configured)
  }

  /// What questions read of an account, be it under a test policy.
  func accountState(of account: StoredAccount) throws(SQLiteError) -> AccountState {
    let test = try testPolicies().policy(of: account, try directory())
    return AccountState(account, testedBy: test, on: testing.platform)
  }
}
