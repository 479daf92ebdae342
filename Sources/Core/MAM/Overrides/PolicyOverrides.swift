import Model
import Policy
import SQLite

/// Test policies that replace the tenant's policies.
package struct PolicyOverrides: Sendable {
  let live: LiveState

  /// Replaces what the tenant says by a test policy: for one account, even if it is not registered yet, or for every
  /// account that has no test policy of its own. Takes effect at once, for all processes of this app, until the policy
  /// is cleared. Needs DebugSettingsEnabled. May block.
  package func set(_ settings: TestSettings, of reference: AccountReference?) throws(MAMError) {
    let text = PolicyDocument(test: settings).encoded
    try changeTestPolicies(of: reference, "debug.setPolicy") { transaction throws(SQLiteError) in
      if let reference { try transaction.clearTestPolicies(of: reference) }
      try transaction.saveTestPolicy(text, of: reference)
    }
  }

  /// Removes the test policies of one account, or all of them. The test policy of the configuration stays. Needs
  /// DebugSettingsEnabled. May block.
  package func clear(of reference: AccountReference?) throws(MAMError) {
    try changeTestPolicies(of: reference, "debug.clearPolicy") { transaction throws(SQLiteError) in
      try transaction.clearTestPolicies(of: reference)
    }
  }

  private func changeTestPolicies(
    of reference: AccountReference?, _ method: String,
    _ change: @escaping @Sendable (StoreTransaction) throws(SQLiteError) -> Void
  ) throws(MAMError) {
    let services = try live.refresh()
    guard !live.configuration.locksTestPolicies else { throw .testPoliciesLocked }
    guard live.state.settings.bool(.debugSettingsEnabled) else { throw .debugSettingsNeeded }
    try live.commit { transaction throws(SQLiteError) in try transaction.appendChanges(by: change) }
    for account in live.state.managedAccounts { services.countApp(for: account) }
    guard let reference else {
      return services.log.write(.warning, .policy, "\(public: method) for every account")
    }
    let account = live.state.directory.account(of: reference)
    services.log.write(.warning, .policy, "\(public: method) for \(personal: account)")
  }
}

extension StoreTransaction {
  fileprivate func saveTestPolicy(_ text: String, of reference: AccountReference?) throws(SQLiteError) {
    try connection.save(Entry(reference?.key ?? "", text), to: StoreSchema.testPolicies)
  }

  /// Removes the test policies under each name of the account; without an account, all of them.
  fileprivate func clearTestPolicies(of reference: AccountReference?) throws(SQLiteError) {
    guard let reference else {
      try connection.run("DELETE FROM test_policies")
      return
    }
    let directory = try directory()
    for name in try connection.dictionary(StoreSchema.testPolicies).keys
    where directory.areEqual(AccountReference(name), reference) {
      try connection.run("DELETE FROM test_policies WHERE account = ?", name)
    }
  }

  /// Appends the events of what another policy changes for each account.
  fileprivate func appendChanges(
    by change: @Sendable (StoreTransaction) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let accounts = try accounts()
    var before: [AccountState] = []
    for account in accounts { before.append(try accountState(of: account)) }
    try change(self)
    for (account, old) in zip(accounts, before) {
      let new = try accountState(of: account)
      for event in new.policyChanges(since: old) { try append(event) }
      try appendClockEvent(of: account, new)
    }
  }

  /// The policy decides whether the user's clock counts.
  private func appendClockEvent(of account: StoredAccount, _ state: AccountState) throws(SQLiteError) {
    guard account.clock != nil || account.toldClock != nil else { return }
    var account = account
    guard let event = account.reportClock(state, at: now) else { return }
    try saveWithoutDocuments(account)
    try append(event)
  }
}

extension MAMError {
  fileprivate static let testPoliciesLocked = MAMError(
    .debugSettingsNeeded, "this process may not change test policies",
    hint: "To try test policies in the console, start it without --live")

  fileprivate static let debugSettingsNeeded = MAMError(
    .debugSettingsNeeded, "test policies are switched off",
    hint: "Start with --set DebugSettingsEnabled=true, or set it to true with settings.set; not in a released app")
}

extension StoreTransaction {
  func testPolicies() throws(SQLiteError) -> TestPolicies {
    TestPolicies(stored: try connection.dictionary(StoreSchema.testPolicies), configured: testing.configured)
  }

  /// The state of an account for questions, with its test policy if there is one.
  func accountState(of account: StoredAccount) throws(SQLiteError) -> AccountState {
    let test = try testPolicies().policy(of: account, try directory())
    return AccountState(account, testedBy: test, on: testing.platform, among: deliveries)
  }
}
