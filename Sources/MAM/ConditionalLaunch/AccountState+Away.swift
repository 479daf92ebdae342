import Model
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
