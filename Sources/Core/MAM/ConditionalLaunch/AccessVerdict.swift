import Model
import Policy
import Support

/// Whether the data of an account may be used in the app now.
enum AccessVerdict: Sendable {
  /// The account has a policy, and nothing blocks access.
  case allowed
  case blocked(UserNotice)
  /// The user must answer this challenge first.
  case undecided(Challenge)
}

extension Compliance {
  /// Decides about access. An open question to the user comes first, then whether the account has a policy, then its
  /// conditional launch, in which a PIN may be asked. Warnings do not count here.
  func accessVerdict(
    of reference: AccountReference, in session: LaunchSession
  ) async throws(MAMError) -> AccessVerdict {
    if let open = try challenges.all(about: reference).first(where: \.isOpenQuestion) {
      return .undecided(open.challenge)
    }
    guard let account = live.state.account(reference), account.isManaged else {
      return .blocked(.notCompliant)
    }
    let end = try await launches.run(account, window: nil, in: session, .silent)
    switch end.verdict {
    case .allow, .warn: return .allowed
    case .block, .wipe:
      if let open = end.challenges.first, !end.isOver { return .undecided(open) }
      return .blocked(end.decisive?.result.notice ?? .notCompliant)
    }
  }
}

extension StoredChallenge {
  /// Whether a user must answer, whatever the conditional launch says. It decides itself whether a PIN that was asked for
  /// is still needed.
  fileprivate var isOpenQuestion: Bool { outcome == nil && challenge.kind == .credentials }
}

extension UserNotice {
  fileprivate static let notCompliant = UserNotice(.compliance(.notCompliantTitle), .compliance(.notCompliant))
}

extension AccountState {
  /// Whether the last answer of the policy source is so old that the user must sign in again, or the data is wiped.
  func wasAwayTooLong(at now: Timestamp) -> Bool {
    guard let enrolledAt, let limit = policy?.launch.wipesAfter else { return false }
    return (contactedAt ?? enrolledAt).advanced(by: limit.milliseconds) <= now
  }

  /// Whether the time without contact is too long in counted time, in which the clock does not jump.
  func wasAwayTooLong(byCounted now: Timestamp) -> Bool {
    guard let enrolledAt, let limit = policy?.launch.wipesAfter else { return false }
    return (countedContactAt ?? contactedAt ?? enrolledAt).advanced(by: limit.milliseconds) <= now
  }

  /// The wipe of an account whose user turns out to be disabled or deleted; `nil` if the policy requires no wipe then.
  var wipeOfDisabledUser: WipeOrder? {
    let setting = SettingName.appActionIfUnableToAuthenticateUser
    guard isEnrolled, policy?.effective.value(of: setting) == .word("wipe") else { return nil }
    let reason = wipeReason(setting, "The policy source says that the user's account is disabled or deleted.")
    return WipeOrder(reason: reason, operations: [])
  }
}

extension LaunchFacts {
  /// The key of the app configuration that says where to update the app.
  private static let appStoreKey = "com.microsoft.intune.myappstore"

  init(
    _ account: AccountState, _ device: Device, signedInAt: Timestamp?, isSignInFresh: Bool, at now: Timestamp
  ) {
    self.init(
      now: now, device: device, contactedAt: account.contactedAt ?? account.enrolledAt,
      isSignInRefused: account.isSignInRefused, signInDueAt: account.signInDueAt,
      isSignInOwed: account.signInOwedAt.map { owed in signedInAt.map { $0 < owed } ?? true } ?? false,
      signedInAt: signedInAt,
      isSignInFresh: isSignInFresh, clockStatus: account.clockStatus(at: now) ?? .unknown, clock: account.clock,
      appStore: account.appConfig.string(Self.appStoreKey, .any))
  }
}
