import Model
import Policy
import SQLite

/// What check-ins would do, found without changing anything.
struct Prospects: Sendable {
  let live: LiveState
  let source: TenantSource

  /// An account as a check-in would leave it.
  struct Prospect: Sendable {
    let state: AccountState
    /// Whether the check-in would begin a wipe.
    let isWipe: Bool
  }

  /// What a check-in with this answer would make of an account; `nil` if the account is gone.
  func prospect(of account: AccountState, with inquiry: PolicyInquiry) throws(MAMError) -> Prospect? {
    let services = try live.refresh()
    let testing = PolicyTesting(configured: live.configuration.debugSettings, platform: live.state.device.platform)
    let position = account.position
    return try services.store.inspect(at: live.time) { transaction throws(SQLiteError) -> Prospect? in
      var transaction = transaction
      transaction.testing = testing
      guard let stored = try transaction.accounts().account(at: position) else { return nil }
      let test = try transaction.testPolicies().policy(of: stored, try transaction.directory())
      let answer = inquiry.answer(for: stored, begun: try transaction.begunOperations())
      let decision = EnrollmentDecision(
        stored, answer: answer, inquiry.hold(for: stored), in: .free, testedBy: test, on: inquiry.device,
        among: transaction.deliveries,
        at: transaction.time)
      let changed = AccountState(
        decision.account, testedBy: test, on: testing.platform, among: transaction.deliveries)
      return Prospect(state: changed, isWipe: decision.order != nil)
    }
  }

  /// What a check-in now would make of an account; `nil` if the account is gone, or if the source cannot be read, because
  /// what it will answer is not known before it is asked.
  func prospect(of account: AccountState) throws(MAMError) -> Prospect? {
    guard let reference = account.reference, let inquiry = source.inquiryByReading(.account(reference)) else {
      return nil
    }
    return try prospect(of: account, with: inquiry)
  }
}
