import Model
import Policy
import Support

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

extension AccountState {
  /// Whether the policy source last answered so long ago that the policy wants the user to sign in, or the data gone.
  func wasAwayTooLong(at now: Timestamp) -> Bool {
    guard let enrolledAt, let limit = policy?.launch.wipesAfter else { return false }
    return (contactedAt ?? enrolledAt).advanced(by: limit.milliseconds) <= now
  }

  /// What follows from an answer that the user is unknown or disabled, where the policy wants the data gone by then.
  var wipeOfDisabledUser: WipeOrder? {
    let setting = SettingName.appActionIfUnableToAuthenticateUser
    guard isEnrolled, policy?.effective.value(of: setting) == .word("wipe") else { return nil }
    let cause = "\(setting.rawValue): the user's account is disabled or gone"
    return WipeOrder(reason: .conditionalLaunch(cause), operations: [])
  }
}

extension LaunchFacts {
  /// The key of the app configuration that says where the app is updated.
  private static let appStoreKey = "com.microsoft.intune.myappstore"

  init(
    _ account: AccountState, _ device: Device, signedInAt: Timestamp?, isSignInFresh: Bool, at now: Timestamp
  ) {
    self.init(
      now: now, device: device, contactedAt: account.contactedAt ?? account.enrolledAt,
      isSignInRefused: account.isSignInRefused, signInDueAt: account.signInDueAt, signedInAt: signedInAt,
      isSignInFresh: isSignInFresh, clockStatus: account.clockStatus(at: now) ?? .unknown, clock: account.clock,
      appStore: account.appConfig.string(Self.appStoreKey, .any))
  }
}
