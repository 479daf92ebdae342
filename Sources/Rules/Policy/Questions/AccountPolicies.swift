import Model

/// What the rules need to know about accounts.
package protocol AccountPolicies: Sendable {
  /// The policy in force for an account; nil if the account is not managed.
  func policy(of account: AccountReference) -> CompiledPolicy?
  /// Whether two names mean one account, also when one is an object id and the other a user principal name.
  func areEqual(_ first: AccountReference, _ second: AccountReference) -> Bool
  /// The accounts with a policy, in the order of registration.
  var managed: [ManagedAccount] { get }
  /// The account that a question is about if no identity is set; nil if there is none.
  var effective: AccountReference? { get }
  /// The state of an account, whether it is registered or not.
  func standing(of account: AccountReference) -> AccountStanding
}

package struct ManagedAccount: Sendable {
  package let reference: AccountReference?
  package let policy: CompiledPolicy

  package init(_ reference: AccountReference?, _ policy: CompiledPolicy) {
    self.reference = reference
    self.policy = policy
  }
}

/// The state of an account in this app.
package struct AccountStanding: Sendable {
  package enum Place: Sendable { case unknown, registered, enrolled }

  /// The account with both names, if they are known.
  package let account: Account
  package let place: Place
  package let isWiping: Bool
  /// The status of the last check-in; nil before the first.
  package let status: EnrollmentStatus?
  package let appConfig: AppConfig
  /// The account whose user had this name before the user was renamed; nil if there is none.
  package let renamed: Account?

  package init(
    _ account: Account, _ place: Place = .unknown, isWiping: Bool = false, status: EnrollmentStatus? = nil,
    appConfig: AppConfig = .empty, renamed: Account? = nil
  ) {
    self.account = account
    self.place = place
    self.isWiping = isWiping
    self.status = status
    self.appConfig = appConfig
    self.renamed = renamed
  }
}
