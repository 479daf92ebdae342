import Model
import Support

/// All that rules compare, at one moment.
struct LaunchFacts: Sendable {
  let now: Timestamp
  let device: Device
  /// Since when the policy source has not answered.
  let contactedAt: Timestamp?
  /// Whether the source's last answer was that the user cannot sign in.
  let isSignInRefused: Bool
  /// A sign-in before this does not count, because the app had been away for too long; nil where none was too long.
  let signInDueAt: Timestamp?
  let signedInAt: Timestamp?
  /// Whether the sign-in still counts, by the time that the app was not used since.
  let isSignInFresh: Bool
  let clockStatus: ClockStatus
  let clock: ClockEntry?
  /// Where the app is updated: an address, or "CompanyPortal"; nil where the administrator does not say.
  let appStore: String?
}

extension LaunchFacts {
  /// The key of the app configuration that says where the app is updated.
  private static let appStoreKey = "com.microsoft.intune.myappstore"

  init(
    _ account: AccountState, _ device: Device, signedInAt: Timestamp?, isSignInFresh: Bool, at now: Timestamp
  ) {
    self.now = now
    self.device = device
    contactedAt = account.contactedAt ?? account.enrolledAt
    isSignInRefused = account.isSignInRefused
    signInDueAt = account.signInDueAt
    self.signedInAt = signedInAt
    self.isSignInFresh = isSignInFresh
    clockStatus = account.clockStatus(at: now) ?? .unknown
    clock = account.clock
    appStore = account.appConfig.string(Self.appStoreKey, .any)
  }
}
