import Model

/// Whether the data of an account may be used in the app now.
enum AccessVerdict: Sendable {
  /// There is a policy, and nothing stands against it.
  case allowed
  case blocked(UserNotice)
  /// Only the user can tell.
  case undecided(Challenge)
}

extension Compliance {
  /// The one place that decides about access: a question to the user that is open, then whether there is a policy, then
  /// its conditional launch, of which only warnings say nothing here.
  func accessVerdict(of reference: AccountReference) async throws(MAMError) -> AccessVerdict {
    if let open = try core.challenges.all(about: reference).first(where: \.isOpenQuestion) {
      return .undecided(open.challenge)
    }
    guard let account = core.state.account(reference), account.isManaged else {
      return .blocked(.notCompliant)
    }
    let end = try await core.conditionalLaunch.run(account, window: nil, in: LaunchSession(), .silent)
    switch end.verdict {
    case .allow, .warn: return .allowed
    case .block, .wipe:
      if let open = end.challenges.first, !end.isOver { return .undecided(open) }
      return .blocked(end.decisive?.result.notice ?? .notCompliant)
    }
  }
}

extension StoredChallenge {
  /// Warnings say nothing here.
  fileprivate var isOpenQuestion: Bool { outcome == nil && challenge.kind != .warning }
}

extension UserNotice {
  fileprivate static let notCompliant = UserNotice(.compliance(.notCompliantTitle), .compliance(.notCompliant))
}
