import Model
import Policy
import SQLite

/// Policies that stand in for the tenant's in a test.
package struct PolicyOverrides: Sendable {
  let core: Core

  /// Puts a test policy in the place of what the tenant says: of one account, also one that is not registered yet, or of
  /// every account that has none of its own. In force at once, for all processes of this app, until it is cleared.
  /// Needs DebugSettingsEnabled. May block.
  package func set(_ settings: TestSettings, of reference: AccountReference?) throws(MAMError) {
    let text = PolicyDocument(test: settings).encoded
    try changeTestPolicies(of: reference, "debug.setPolicy") { transaction throws(SQLiteError) in
      if let reference { try transaction.clearTestPolicies(of: reference) }
      try transaction.saveTestPolicy(text, of: reference)
    }
  }

  /// Takes the test policies of one account back, or all of them. That of the configuration stays. Needs
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
    let services = try core.refresh()
    guard core.state.settings.bool(.debugSettingsEnabled) else { throw .debugSettingsNeeded }
    try core.commit { transaction throws(SQLiteError) in try transaction.tellChanges(by: change) }
    for account in core.state.managedAccounts { services.countApp(for: account) }
    guard let reference else {
      return services.log.write(.warning, .policy, "\(public: method) for every account")
    }
    let account = core.state.directory.account(of: reference)
    services.log.write(.warning, .policy, "\(public: method) for \(personal: account)")
  }
}

extension StoreTransaction {
  fileprivate func saveTestPolicy(_ text: String, of reference: AccountReference?) throws(SQLiteError) {
    try connection.save(Entry(reference?.key ?? "", text), to: StoreSchema.testPolicies)
  }

  /// Under each name that means the account; without one, all.
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

  /// To each account what another policy means for it.
  fileprivate func tellChanges(
    by change: @Sendable (StoreTransaction) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    let accounts = try accounts()
    var before: [AccountState] = []
    for account in accounts { before.append(try accountState(of: account)) }
    try change(self)
    for (account, old) in zip(accounts, before) {
      let new = try accountState(of: account)
      for event in new.policyChanges(since: old) { try append(event) }
      try tellClock(of: account, new)
    }
  }

  /// Whether the user's clock counts is for the policy to say.
  private func tellClock(of account: StoredAccount, _ state: AccountState) throws(SQLiteError) {
    guard account.clock != nil || account.toldClock != nil else { return }
    var account = account
    guard let event = account.tellClock(state, at: now) else { return }
    try saveWithoutDocuments(account)
    try append(event)
  }
}

extension MAMError {
  fileprivate static let debugSettingsNeeded = MAMError(
    .debugSettingsNeeded, "test policies are switched off",
    hint: "Start with --set DebugSettingsEnabled=true, or call settings.set with it; not in a released app")
}

extension StoreTransaction {
  func testPolicies() throws(SQLiteError) -> TestPolicies {
    TestPolicies(stored: try connection.dictionary(StoreSchema.testPolicies), configured: testing.configured)
  }

  /// What questions read of an account, be it under a test policy.
  func accountState(of account: StoredAccount) throws(SQLiteError) -> AccountState {
    let test = try testPolicies().policy(of: account, try directory())
    return AccountState(account, testedBy: test, on: testing.platform, among: deliveries)
  }
}
