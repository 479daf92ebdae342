import Model

/// Where data comes from, seen from the account that is to have it.
struct DataOrigin {
  /// Nil for nobody.
  let owner: AccountReference?
  let isOwn: Bool
  /// The owner's policy; nil where the owner is not managed.
  let policy: CompiledPolicy?
}

extension PolicyQuestions {
  /// `owner` nil and "" are nobody, who is always unmanaged.
  func origin(_ owner: AccountReference?, in accounts: some AccountPolicies) -> DataOrigin {
    guard let owner, owner.kind != .noUser else { return DataOrigin(owner: nil, isOwn: false, policy: nil) }
    let isOwn = account.map { accounts.areEqual($0, owner) } ?? false
    return DataOrigin(owner: owner, isOwn: isOwn, policy: accounts.policy(of: owner))
  }
}

extension DataOrigin {
  /// What the account's own policy says, unless the owner, when another managed account, does not let the data go.
  func deciding(
    _ own: Decision<Bool>, letsGo: (CompiledPolicy, AccountReference) -> Decision<Bool>
  ) -> Decision<Bool> {
    guard own.value, !isOwn, let owner, let policy else { return own }
    return letsGo(policy, owner)
  }
}
