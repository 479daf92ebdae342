import Model
import Support

extension StoredAccount {
  /// Whether the policy source last answered so long ago that the policy wants the user to sign in, or the data gone.
  ///
  /// Who has missed no check-in cannot have been away too long: only then is the policy read for it.
  func wasAwayTooLong(at now: Timestamp) -> Bool {
    guard enrolledAt != nil, let last = contactedAt ?? enrolledAt,
      last.advanced(by: CheckInInterval.halfHour.milliseconds(failures: 0)) < now,
      let limit = AccountState(self).policy?.launch.wipesAfter
    else { return false }
    return last.advanced(by: limit.milliseconds) <= now
  }

  /// What follows from an answer that the user is unknown or disabled, where the policy wants the data gone by then.
  var wipeOfDisabledUser: WipeOrder? {
    let setting = SettingName.appActionIfUnableToAuthenticateUser
    guard enrolledAt != nil, AccountState(self).policy?.effective.value(of: setting) == .word("wipe") else {
      return nil
    }
    let cause = "\(setting.rawValue): the user's account is disabled or gone"
    return WipeOrder(reason: .conditionalLaunch(cause), operations: [])
  }
}
