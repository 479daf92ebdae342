import Model

/// What questions about two accounts need to know of accounts.
package protocol AccountPolicies: Sendable {
  /// The policy in force for an account; nil when it is not managed.
  func policy(of account: AccountReference) -> CompiledPolicy?
  /// Whether two names mean one account, also when one is an object id and the other a user principal name.
  func areEqual(_ first: AccountReference, _ second: AccountReference) -> Bool
}
