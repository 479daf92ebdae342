import JSON
import MAM
import Model

enum RegisterAndEnrollAccount: WorkMethod {
  static let name = "enrollmentManager.registerAndEnrollAccount"
  static let summary = "Register an account and enroll it: fetch its policy and app configuration."
  static let details = """
    Answered when the attempt is complete. A failed enrollment is a result with didSucceed false; the account stays \
    registered. For a registered account nothing is tried: the status is 208 for an enrolled account, and else that of \
    the last attempt, whose errorString says when the next attempt is. tenant.checkIn tries at once, and so does \
    enrollmentManager.loginAndEnrollAccount. Whatever the status, the host goes on if access is allow. If the user must sign in at the policy source, ui.promptForCredentials shows where, and the attempt goes \
    on after that. If no host shows it, the call ends with the error challenge, which ends by itself when the user has \
    signed in: repeat the call then. Commit point: the store transaction.
    """
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "account", \.account, "The account; null ends with status 207."))
  }
  typealias Result = EnrollmentStatus
  static let resultSummary = "How the attempt ended."
  static let errors: [ErrorCode] = [.challenge]
  static let example = Example(Params(account: "alice@contoso.example"), EnrollmentStatus.exampleEnrolled)
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -registerAndEnrollAccount:",
    "IntuneMAMEnrollmentManager -registerAndEnrollAccountId:",
  ]

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> EnrollmentStatus {
    try await connection.core.enrollment.enrollAndFollowUp(params.account)
  }
}

enum LoginAndEnrollAccount: WorkMethod {
  static let name = "enrollmentManager.loginAndEnrollAccount"
  static let summary = "Let the user sign in, then register and enroll the account."
  static let details = """
    The server tries auth.acquireToken silently, then auth.acquireToken with the user, then ui.promptForCredentials. If \
    neither a host nor the token command gives tokens, and the policy source can sign in users, the account signs in \
    there, as with registerAndEnrollAccount. \
    If no host answers, the call ends with the error challenge: answer it, from any process, and repeat the call. If \
    the user cancels, the status is 219; for another user or an empty token it is 203. Neither registers the account. \
    A policy source of files accepts any other token as proof. The token is not stored, only the time when it was \
    given (signedInAt in tenant.status). For an enrolled account nothing is asked, and the status is 208. A registered \
    account is tried again. Commit point: the store transaction that records the sign-in, or that of the enrollment.
    """
  struct Params: Record {
    var account: AccountReference?
    var window: String?
    static let fields = Fields(
      Self.init,
      Field(
        "account", \.account,
        "The account to sign in; null for the user of the managed device or, if there is none, any user."),
      Field("window", \.window, "The host's name for the window of the sign-in."))
  }
  typealias Result = EnrollmentStatus
  static let resultSummary = "How the attempt ended."
  static let errors: [ErrorCode] = [.challenge]
  static let example = Example(
    Params(account: "alice@contoso.example", window: "main"), EnrollmentStatus.exampleEnrolled)
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -loginAndEnrollAccount:", "IntuneMAMEnrollmentManager -loginAndEnrollAccount:onWindow:",
  ]

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> EnrollmentStatus {
    try await connection.core.login.loginAndEnroll(params.account, in: params.window)
  }
}

enum DeRegisterAndUnenrollAccount: WorkMethod {
  static let name = "enrollmentManager.deRegisterAndUnenrollAccount"
  static let summary = "Unenroll an account and forget it, with its policy and configuration."
  static let details = """
    Answered when the operation is complete. Commit point: the store transaction.

    With a wipe, the account's keys in this app are destroyed first. Then policyDelegate.wipeDataForAccount asks the \
    host to remove the account's data; unless the host says that it removed everything, the server removes the files \
    that belong to the account. policyManager.wipeDidComplete and enrollmentDelegate.unenrollRequestWithStatus report \
    the end. An interrupted wipe continues at the next start. If something cannot be removed, the status is 215, its \
    text names what is left, and the wipe is tried again. Sends progress. docs/account-life.md lists the steps.
    """
  struct Params: Record {
    var account: AccountReference?
    var withWipe: Bool
    static let fields = Fields(
      Self.init, Field(required: "account", \.account, "The account; null ends with status 207."),
      Field(
        "withWipe", \.withWipe, default: false,
        "Whether to also destroy the account's keys in this app and remove its files."))
  }
  typealias Result = EnrollmentStatus
  static let resultSummary =
    "How it ended: 104 if it is done, 215 if a wipe is not done yet, 213 or 214 if there was nothing to do."
  static let example = Example(
    Params(account: "alice@contoso.example", withWipe: false),
    EnrollmentStatus(
      accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .unenrollmentSuccess))
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -deRegisterAndUnenrollAccount:withWipe:",
    "IntuneMAMEnrollmentManager -deRegisterAndUnenrollAccountId:withWipe:",
  ]

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> EnrollmentStatus {
    try await connection.core.enrollment.deRegisterAndUnenroll(params.account, withWipe: params.withWipe)
  }
}

enum RegisteredAccounts: StateMethod {
  static let name = "enrollmentManager.registeredAccounts"
  static let summary = "Return the registered accounts, whether enrolled or not."
  typealias Params = NoParameters
  typealias Result = [Account]
  static let resultSummary = "The accounts, in order of registration."
  static let example = Example(Result([.example]))
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -registeredAccounts", "IntuneMAMEnrollmentManager -registeredAccountIds",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> [Account] { state.accounts.map(\.account) }
}

enum EnrolledAccount: StateMethod {
  static let name = "enrollmentManager.enrolledAccount"
  static let summary = "Return the account that was enrolled first."
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary = "The account; null if none is enrolled."
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -enrolledAccount", "IntuneMAMEnrollmentManager -enrolledAccountId",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> Account? { state.primaryAccount?.account }
}

enum EnrolledAccounts: StateMethod {
  static let name = "enrollmentManager.enrolledAccounts"
  static let summary = "Return all enrolled accounts."
  typealias Params = NoParameters
  typealias Result = [Account]
  static let resultSummary = "The accounts, in order of registration."
  static let example = Example(Result([.example]))
  static let sdkMembers = ["IntuneMAMEnrollmentManager -enrolledAccountIds"]

  static func answer(_ params: Params, _ state: CoreState) -> [Account] { state.enrolledAccounts.map(\.account) }
}

enum GetAllowedAccounts: StateMethod {
  static let name = "enrollmentManager.allowedAccounts"
  static let summary = "Return the accounts that the administrator allows in the app."
  static let details = """
    The accounts come with the last answer of the policy source. If the device's management sets \
    IntuneMAMAllowedAccountsOnly to Enabled, only its user is allowed.
    """
  typealias Params = NoParameters
  typealias Result = [Account]?
  static let resultSummary = "The accounts; null if every account is allowed."
  static let example = Example<Params, Result>([.example])
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -allowedAccounts", "IntuneMAMEnrollmentManager -allowedAccountIds",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> [Account]? { state.allowedAccounts }
}

enum MDMEnrolledAccount: WorkMethod {
  static let name = "enrollmentManager.mdmEnrolledAccount"
  static let summary = "Return the user for whom the whole device is managed."
  static let details = """
    Taken from IntuneMAMUPN and IntuneMAMOID in the configuration that the device's management delivers, as the policy \
    source has it now.
    """
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary = "The account; null if the device is not managed, or if the policy source cannot be read."
  static let usesStore = false
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -mdmEnrolledAccount", "IntuneMAMEnrollmentManager -mdmEnrolledAccountId",
    "IntuneMAMEnrollmentManager -mdmEnrolledAccountIdWithCompletion:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) -> Account? {
    connection.core.managedUser.ask()
  }
}

enum MDMEnrolledAccountFromCache: StateMethod {
  static let name = "enrollmentManager.mdmEnrolledAccountFromCache"
  static let summary = "Return the user for whom the whole device is managed, as it was last known."
  static let details = """
    Answered at once, without the policy source, which is then asked in the background: \
    enrollmentManager.mdmEnrolledAccountDidChange reports another answer.
    """
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary = "The account; null if the device is not managed, or if the source was never asked."
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = ["IntuneMAMEnrollmentManager -mdmEnrolledAccountIdFromCache"]

  static func capture(_ params: Params, on connection: BridgeConnection) -> Params {
    connection.core.managedUser.check()
    return params
  }

  static func answer(_ params: Params, _ state: CoreState) -> Account? { state.mdmEnrolledAccount }
}
