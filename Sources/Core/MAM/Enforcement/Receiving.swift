import Model
import Policy

/// Receives what other apps hand to this one.
package struct Receiving: Sendable {
  let live: LiveState
  let files: Files
  let protection: Protection
  let hosts: CurrentHost
  let language: Language
  /// The owners of the content in a question that is answered again and again; `nil` to read them each time.
  let known: KnownOwners?

  /// Lets a window receive what another app hands over, or refuses it.
  ///
  /// In a multi-identity app, the window must show the owner of managed data. If its account may not receive the data,
  /// it must show one that may. The core asks the host to switch the window, and refuses the content if the host does
  /// not. Content that is allowed becomes the activity of the window, and files without an owner get the owner that the
  /// answer names.
  package func receive(
    _ incoming: IncomingContent, window: String?, of identities: Identities
  ) async throws(MAMError) -> Reasoned<Reception> {
    let answer = try await reception(of: incoming, window: window, of: identities)
    guard answer.value.isAllowed else { return answer }
    if case .files(let paths) = incoming.content { try give(paths, to: owner(ofUntagged: incoming)) }
    try identities.beginActivity(window, of: answer.value.owner)
    return answer
  }

  /// Returns what `receive` would return, and why. Asks the host in the same way, but gives no file an owner and begins
  /// no activity.
  package func reception(
    of incoming: IncomingContent, window: String?, of identities: Identities
  ) async throws(MAMError) -> Reasoned<Reception> {
    try live.refresh()
    try live.state.checkPolicyIsThere()
    let owners = try owners { () throws(MAMError) in try self.owners(of: incoming) }
    let owner = managedOwner(among: owners)
    let window = window ?? Identities.main
    let decision = await mayReceive(owners, owner, incoming.switchReason, in: window, of: identities)
    let refusal = decision.value ? nil : Reason(decision).refusal?.refusal(in: language)
    return Reasoned(
      Reception(isAllowed: decision.value, owner: owner, refusal: refusal),
      because: [decision.reason(for: "allowed")])
  }

  private func managedOwner(among owners: [AccountReference?]) -> AccountReference {
    owners.lazy.compactMap(\.self).first { [live] in live.state.policy(of: $0) != nil } ?? .noUser
  }

  /// Files in a row with one owner count once: the first refusal and the last decision stay the same.
  private func owners(of incoming: IncomingContent) throws(MAMError) -> [AccountReference?] {
    switch incoming.content {
    case .url: return [owner(ofUntagged: incoming)]
    case .item(let provider): return [try owner(of: provider)?.reference ?? owner(ofUntagged: incoming)]
    case .files(let paths):
      var owners: [AccountReference?] = []
      for path in paths {
        let owner = try files.owner(ofContentAt: path)?.reference ?? owner(ofUntagged: incoming)
        if owners.last != .some(owner) { owners.append(owner) }
      }
      return owners
    }
  }

  private func mayReceive(
    _ owners: [AccountReference?], _ owner: AccountReference, _ reason: IdentitySwitchReason, in window: String,
    of identities: Identities
  ) async -> Decision<Bool> {
    let state = live.state
    switch state.standing(of: owners, owner, shown: identities.effectiveIdentity(window: window)) {
    case .decided(let decision): return decision
    case .needsSwitch(let own):
      let isSwitched = await hosts.current.identitySwitchRequired(
        to: state.named(owner), window: window, reason: reason)
      return Decision(isSwitched, isSwitched ? .hostSwitches : .hostDoesNotSwitch, own.value ? nil : own.setting)
    }
  }

  /// The owner of content that names no owner itself: the managed sender, or else the user of a managed device whose
  /// policy protects data from unknown sources.
  private func owner(ofUntagged incoming: IncomingContent) -> AccountReference? {
    incoming.owner ?? live.state.ownerOfUnknownData?.reference
  }

  private func give(_ paths: [AbsolutePath], to owner: AccountReference?) throws(MAMError) {
    guard let account = owner.flatMap({ live.state.account($0) }), account.isManaged, let reference = account.reference
    else { return }
    for path in paths where try files.owner(ofContentAt: path) == nil {
      try files.protect(path, for: reference)
    }
  }
}

extension Decision {
  /// The same decision, about an account that the caller did not ask about.
  fileprivate func of(_ account: AccountReference) -> Decision {
    Decision(value, rule, setting, by: party, other ?? account)
  }
}

/// Whether a window may receive content.
private enum ReceivingStanding {
  case decided(Decision<Bool>)
  /// If the window shows the owner. The decision is that for the account which the window shows.
  case needsSwitch(Decision<Bool>)
}

extension CoreState {
  /// `shown` is what the window shows.
  fileprivate func standing(
    of owners: [AccountReference?], _ owner: AccountReference, shown: EffectiveIdentity
  ) -> ReceivingStanding {
    let isShown = shown.account.map { areEqual($0, owner) } ?? false
    let own = receiving(owners, questionsUnchecked(about: shown.account, sharing: shown.view))
    guard settings.separatesIdentities, !isShown, owner.kind != .noUser || !own.value else { return .decided(own) }
    let others = receiving(owners, questionsUnchecked(about: owner))
    return others.value ? .needsSwitch(own) : .decided(others.of(owner))
  }

  /// Whether the subject of the questions may receive the data of all these owners. Returns the first refusal, or else
  /// the last decision.
  fileprivate func receiving(_ owners: [AccountReference?], _ questions: PolicyQuestions) -> Decision<Bool> {
    let decisions = owners.map { questions.canReceive(from: $0, in: self) }
    return decisions.first { !$0.value } ?? decisions.last ?? Decision(true, .nothingRestricts)
  }

  /// The user of a managed device whose policy tags incoming data of unknown sources.
  fileprivate var ownerOfUnknownData: AccountState? {
    accounts.first { $0.isMDM && $0.policy?.protectsUnknownData == true }
  }
}

extension Receiving {
  /// What strict mode finds in content that another app hands over. `hostSwitches` is whether a host can switch the
  /// window to another account. May block.
  package func mistakes(
    in incoming: IncomingContent, window: String?, of identities: Identities, hostSwitches: Bool
  ) throws(MAMError) -> [StrictCheck] {
    try live.refresh()
    let (state, owners) = (live.state, try owners(of: incoming))
    var found: [StrictCheck] = []
    if incoming.isSenderManaged, incoming.sender == nil { found.append(.contentIntentWithoutIdentity) }
    if let sender = incoming.owner, owners.contains(where: { $0.map { !state.areEqual($0, sender) } ?? false }) {
      found.append(.intentIdentityMismatch)
    }
    let shown = identities.effectiveIdentity(window: window ?? Identities.main)
    if !hostSwitches, case .needsSwitch = state.standing(of: owners, managedOwner(among: owners), shown: shown) {
      found.append(.incomingIdentitySwitch)
    }
    return found
  }

  /// Whether an account may receive what an item provider holds; defaults to the effective account.
  package func canReceive(
    _ provider: ItemProvider, for reference: AccountReference?, sharing view: SharedView? = nil
  ) throws(MAMError) -> Decision<Bool> {
    try canReceive(for: reference, sharing: view) { () throws(MAMError) in try owner(of: provider) }
  }

  /// Whether an account may receive a file; defaults to the effective account. A missing file belongs to nobody.
  package func canReceive(
    fileAt path: AbsolutePath, for reference: AccountReference?, sharing view: SharedView? = nil
  ) throws(MAMError) -> Decision<Bool> {
    try canReceive(for: reference, sharing: view) { () throws(MAMError) in try files.owner(ofContentAt: path) }
  }

  /// `nil` if nobody owns the content, or if there is no content.
  func owner(of provider: ItemProvider) throws(MAMError) -> Account? {
    try provider.data?.bytes.isEmpty == true ? nil : protection.protectionInfo(provider)
  }

  private func canReceive(
    for reference: AccountReference?, sharing view: SharedView?, from owner: () throws(MAMError) -> Account?
  ) throws(MAMError) -> Decision<Bool> {
    let owners = try owners { () throws(MAMError) in [try owner()?.reference] }
    try live.refresh()
    let state = live.state
    return try state.questions(about: reference, sharing: view).canReceive(from: owners.last ?? nil, in: state)
  }

  private func owners(
    reading read: () throws(MAMError) -> [AccountReference?]
  ) throws(MAMError) -> [AccountReference?] {
    if let known { try known.owners(read) } else { try read() }
  }
}

/// Content that another app hands to this one.
package struct IncomingContent: Sendable {
  package enum Content: Sendable {
    case url(AbsoluteURL)
    case files([AbsolutePath])
    case item(ItemProvider)
  }

  package let content: Content
  /// The account for which the other app acts; `nil` for none.
  package let sender: AccountReference?
  /// Whether that account is managed in the other app.
  package let isSenderManaged: Bool

  package init(_ content: Content, from sender: AccountReference?, isManaged: Bool) {
    self.content = content
    self.sender = sender
    isSenderManaged = isManaged
  }

  var switchReason: IdentitySwitchReason {
    if case .url = content { .openURL } else { .documentImport }
  }

  /// The owner of content that names no owner itself. Data of an unmanaged app belongs to nobody.
  var owner: AccountReference? { isSenderManaged ? sender : nil }
}

/// Whether incoming content may be used, and whose it is.
package struct Reception: Sendable {
  package let isAllowed: Bool
  /// "No user" if nobody owns the content.
  package let owner: AccountReference
  package let refusal: Refusal?
}
