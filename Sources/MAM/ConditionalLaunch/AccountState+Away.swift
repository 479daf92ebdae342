import Model
import Policy
import Support

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
