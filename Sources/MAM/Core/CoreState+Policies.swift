import Model
import Policy

extension CoreState: AccountPolicies {
  package func policy(of account: AccountReference) -> CompiledPolicy? { self.account(account)?.policy }

  package func areEqual(_ first: AccountReference, _ second: AccountReference) -> Bool {
    directory.areEqual(first, second)
  }

  package var managed: [ManagedAccount] {
    accounts.compactMap { account in account.policy.map { ManagedAccount(account.reference, $0) } }
  }

  package var effective: AccountReference? { effectiveAccount?.reference }

  package func standing(of reference: AccountReference) -> AccountStanding {
    guard let known = account(reference) else { return AccountStanding(directory.account(of: reference)) }
    return AccountStanding(
      known.account, known.isEnrolled ? .enrolled : .registered, isWiping: known.isWiping, status: known.status,
      appConfig: known.appConfig)
  }

  /// What can be asked about an account; without one about that which holds where no identity is set. Refuses while a
  /// policy is required and none is there.
  package func questions(about reference: AccountReference?) throws(MAMError) -> PolicyQuestions {
    try checkPolicyIsThere()
    return questionsUnchecked(about: reference)
  }

  /// For who has checked that.
  func questionsUnchecked(about reference: AccountReference?) -> PolicyQuestions {
    guard let reference else {
      let account = effectiveAccount
      return PolicyQuestions(policy: account?.policy, account: account?.reference)
    }
    return PolicyQuestions(policy: policy(of: reference), account: reference)
  }
}
