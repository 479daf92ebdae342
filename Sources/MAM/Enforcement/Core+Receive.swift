import Model

extension Core {
  /// Lets a window have what another app hands over, or refuses it.
  ///
  /// In a multi-identity app the window must show the owner of managed data, and for data that its account may not
  /// receive somebody who may; the host is asked to switch, and when it does not the content is refused. What is
  /// allowed is the window's activity from then on, and files without an owner get the sender as theirs.
  package func receive(
    _ incoming: IncomingContent, window: String?, of identities: Identities
  ) async throws(MAMError) -> Reception {
    try refresh()
    try state.checkPolicyIsThere()
    let owners = try owners(of: incoming)
    let owner = owners.lazy.compactMap(\.self).first { [state] in state.policy(of: $0) != nil } ?? .noUser
    let window = window ?? Identities.main
    guard await mayReceive(owners, owner, incoming.switchReason, in: window, of: identities) else {
      return Reception(isAllowed: false, owner: owner)
    }
    if case .files(let paths) = incoming.content { try give(paths, to: incoming.owner) }
    try identities.beginActivity(window, of: owner)
    return Reception(isAllowed: true, owner: owner)
  }

  private func owners(of incoming: IncomingContent) throws(MAMError) -> [AccountReference?] {
    switch incoming.content {
    case .url: return [incoming.owner]
    case .item(let provider): return [try owner(of: provider)?.reference ?? incoming.owner]
    case .files(let paths):
      var owners: [AccountReference?] = []
      for path in paths { owners.append(try owner(ofContentAt: path)?.reference ?? incoming.owner) }
      return owners
    }
  }

  private func mayReceive(
    _ owners: [AccountReference?], _ owner: AccountReference, _ reason: IdentitySwitchReason, in window: String,
    of identities: Identities
  ) async -> Bool {
    let state = state
    func accepts(_ reference: AccountReference?) -> Bool {
      guard let questions = try? state.questions(about: reference) else { return false }
      return owners.allSatisfy { questions.canReceive(from: $0, in: state).value }
    }
    let shown = identities.effective(window: window)
    guard state.settings.bool(.multiIdentity) else { return accepts(shown) }
    if shown.map({ state.areEqual($0, owner) }) ?? false { return accepts(shown) }
    if owner.kind == .noUser, accepts(shown) { return true }
    guard accepts(owner) else { return false }
    return await host.identitySwitchRequired(to: state.named(owner), window: window, reason: reason)
  }

  /// Of an unmanaged sender's files only those get an owner that the policy of a managed device protects all the same.
  private func give(_ paths: [AbsolutePath], to sender: AccountReference?) throws(MAMError) {
    let managed = sender.flatMap { state.account($0) }.flatMap { $0.isManaged ? $0 : nil }
    guard let account = managed ?? state.ownerOfUnknownData, let reference = account.reference else { return }
    for path in paths where try owner(ofContentAt: path) == nil { try protectFile(path, for: reference) }
  }
}

extension CoreState {
  /// The user of a managed device whose policy tags incoming data of unknown sources.
  fileprivate var ownerOfUnknownData: AccountState? {
    accounts.first { $0.isMDM && $0.policy?.protectsUnknownData == true }
  }
}
