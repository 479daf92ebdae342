import Model
import Support

/// The state of an account in words, for a developer who wants to know why.
struct AccountExplanation {
  let account: AccountState
  let policies: [ConsideredPolicy]
  let due: Timestamp
  let now: Timestamp
  /// Whether the management of the device switches MultiManagedIdentities off.
  let isConfined: Bool

  var text: String {
    [lastCheckIn, standing, hold, confinement, test, policyCount, next].compactMap { $0 }.joined(separator: " ")
  }

  /// The text of the last status if a request repeats it because nothing was tried.
  var textOfRepetition: String {
    let attempts = "tenant.checkIn tries at once, and so does enrollmentManager.loginAndEnrollAccount."
    return ["Nothing was tried, because the account is registered already.", lastCheckIn, next, attempts]
      .compactMap { $0 }.joined(separator: " ")
  }

  private var lastCheckIn: String? {
    guard let status = account.status else { return nil }
    let time = account.checkedInAt.map { " at \($0)" } ?? ""
    let reason = status.errorString ?? StatusMeaning(of: status.statusCode).text + "."
    let code = "\(status.statusCode.sdkValue) (\(status.statusCode.rawValue))"
    return "The last check-in\(time) ended with status \(code): \(reason)"
  }

  private var standing: String {
    let keepsPolicy = account.isManaged && !account.hasTestPolicy && account.life != .enrolled
    return "The account is \(account.life.rawValue): \(account.life.text)."
      + (keepsPolicy ? " Its last good policy still applies." : "")
  }

  private var hold: String? {
    account.hold.map { hold in account.heldWipe.map { EnrollmentText.held($0, hold) } ?? hold.text }
  }

  private var confinement: String? {
    isConfined
      ? "MultiManagedIdentities has no effect, because the device's management confines the app to one account "
        + "(IntuneMAMAllowedAccountsOnly is Enabled)." : nil
  }

  private var test: String? {
    account.hasTestPolicy
      ? "A test policy (debug.setPolicy, --debug-settings) replaces the policy of the policy source." : nil
  }

  private var policyCount: String? {
    guard !policies.isEmpty else { return nil }
    let applied = policies.filter(\.applied).count
    return "Of \(policies.count) policies and configurations in the policy source, \(applied) apply now."
  }

  private var next: String {
    guard let reason = account.wipe?.reason.text else { return "The next check-in is due \(time)." }
    let stop = reason.hasSuffix(".") ? "" : "."
    return "The account's data is being wiped because \(reason)\(stop) The wipe continues \(time)."
  }

  private var time: String {
    guard due > now else { return "at once" }
    let wait = ISODuration(seconds: (due.milliseconds - now.milliseconds) / 1000)
    return "at \(due), in \(wait.spoken)"
  }
}

/// The texts about a user who may not use the app, and about who can help.
struct RefusalTexts: Equatable {
  let unlisted, deleted, disabled, unlicensed: String

  /// The texts for a tenant folder, which the reader can change.
  static let local = RefusalTexts(
    unlisted: """
      The tenant does not list this user. Check the spelling, or add the user to "users" in tenant.json.
      """,
    deleted: "The user's account is deleted. Remove \"deleted\" from the user in tenant.json if that is wrong.",
    disabled: "The user's account is disabled. Set accountEnabled to true in tenant.json.",
    unlicensed: "The user has no license. Set licensed to true in tenant.json.")

  /// The texts for the tenant of a sandbox, which a test can change. `nearest` is the user who was most likely meant.
  /// The kits for tests recognize an unlisted user by the first sentence.
  static func sandbox(nearest: String?) -> RefusalTexts {
    let hint = nearest.map { "Did you mean \($0)? Otherwise" } ?? "Check the spelling, or"
    return RefusalTexts(
      unlisted: "The tenant does not list this user. \(hint) add the user with sandbox.setUser.",
      deleted: local.deleted,
      disabled: "The user's account is disabled. Set enabled to true with sandbox.setUser.",
      unlicensed: "The user has no license. Set licensed to true with sandbox.setUser.")
  }

  /// The texts for a source outside of this process.
  static let remote = RefusalTexts(
    unlisted: "The policy source does not know this user. Check the spelling, or ask an administrator to add the user.",
    deleted: "The user's account is deleted. Ask an administrator to restore the account.",
    disabled: "The user's account is disabled. Ask an administrator to enable the account.",
    unlicensed: "The user has no license. Ask an administrator for a license.")
}

/// The texts of failed enrollments: what is wrong, and what to do.
enum EnrollmentText {
  static let nilAccount = "The request names no account."
  static let alreadyEnrolled = "The account is already enrolled; nothing was changed."
  static let singleAccount = """
    Another account is enrolled, and only one is allowed. Unenroll the other account, or set MultiManagedIdentities to \
    true.
    """
  static func noToken(_ reason: String) -> String {
    """
    There is no token for the account: \(reason). The next check-in asks for a token again. A host that gets one \
    earlier can pass it to enrollmentManager.updateToken.
    """
  }
  static let confined = """
    Another account is enrolled, and the device's management confines the app to one account, although \
    MultiManagedIdentities is true. Unenroll the other account, or remove IntuneMAMAllowedAccountsOnly from the app \
    configuration of the device's management.
    """
  static let notTargeted = """
    The user has a license, but no policy or configuration is assigned to this user in this app. Check the groups of \
    the user and the apps of the policies; tenant.status says which policies were considered and why they do not apply.
    """
  static let wiped = """
    An administrator requested a wipe of this user's data in this app. After the wipe, the account can be enrolled again.
    """
  static let wiping = """
    The account's data is being wiped. Call again after the event policyManager.wipeDidComplete.
    """
  /// Why an account is blocked whose wipe waits.
  static func held(_ reason: WipeReason, _ hold: WipeHold?) -> String {
    """
    The account is blocked instead of being wiped: \(reason.text). \(hold?.text ?? "Wipes are on hold.") When the hold \
    ends, \(reason.isOfLaunch ? "mambridge" : "a check-in") decides again.
    """
  }
  static let managedDevice = """
    The device runs Windows and is managed ("mdm" in tenant.json), and app protection on Windows is only for devices \
    that are not managed.
    """
  static let otherMDMUser =
    "The device is managed for another user, and only that user can enroll (\"mdm\" in tenant.json)."
  static let blocked = """
    An administrator wipes this user's data in this app and blocks the user. To allow the user again, remove the \
    wipeAndBlock operation from "operations" in tenant.json.
    """
  static let noNetwork = """
    The device has no network (device.networkAvailable is false). mambridge tries again; when there is a network, set \
    networkAvailable to true with device.set.
    """
  static let notEnrolled = """
    The account is not registered in this app: the name may be wrong, or the account was unenrolled before. \
    enrollmentManager.registeredAccounts lists the registered accounts; to register this account, call \
    enrollmentManager.registerAndEnrollAccount.
    """
  static let nobodyEnrolled = """
    No account is enrolled in this app, and this account is not registered. Call \
    enrollmentManager.registerAndEnrollAccount first.
    """
  static let loginCanceled = """
    The user canceled the sign-in, so nothing was tried. Call enrollmentManager.loginAndEnrollAccount again when the \
    user wants to sign in.
    """
}
