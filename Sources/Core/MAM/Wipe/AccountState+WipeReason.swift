import Model
import Policy

extension AccountState {
  /// A wipe that a setting of the account's policy requires.
  func wipeReason(_ setting: SettingName, _ found: String) -> WipeReason {
    .rule(setting, found, of: policy?.effective.spokenOrigin(of: setting))
  }

  var wrongPINs: WipeReason {
    wipeReason(.appActionIfMaximumPinRetriesExceeded, PINMessage.retriesWipe.english)
  }

  var offlineSignInCanceled: WipeReason {
    wipeReason(
      .periodOfflineBeforeWipeIsEnforced, "The app was offline for too long, and the user did not sign in.")
  }
}
