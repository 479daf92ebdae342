import JSON
import MAM
import Model

enum RegisterAndEnrollAccount: WorkMethod {
  static let name = "enrollmentManager.registerAndEnrollAccount"
  static let summary = "Registers an account and enrolls it: fetches its policy and app configuration."
  static let details = """
    Answered when the attempt is complete. A failed enrollment is a result with didSucceed false; the account stays \
    registered. Commit point: the store's transaction.
    """
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "account", \.account, "The account; null ends with status 207."))
  }
  typealias Result = EnrollmentStatus
  static let resultSummary = "How the attempt ended."
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
  static let summary = "Lets the user sign in, then registers and enrolls the account."
  static let details = """
    Asks the host: auth.acquireToken, silently and then not, then ui.promptForCredentials. Where no host answers, it \
    ends with the error challenge: answer that, from any process, and repeat the call. The user's cancel is status \
    219, another user or an empty token 203; neither registers the account. A policy source of files takes any other \
    token as proof; the token is not kept, only when it was given (signedInAt of tenant.status). Of an enrolled \
    account nothing is asked: status 208. A registered one is tried again. Commit point: the store's transaction that \
    notes the sign-in, or that of the enrollment.
    """
  struct Params: Record {
    var account: AccountReference?
    var window: String?
    static let fields = Fields(
      Self.init,
      Field(
        "account", \.account,
        "Who shall sign in; null for the user that the device is managed for, and without one for anybody."),
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
  static let summary = "Unenrolls an account and forgets it: its policy and configuration are gone."
  static let details = """
    Answered when the operation is complete. Commit point: the store's transaction.

    With a wipe the account's keys of this app are destroyed first. Then the host is asked by \
    policyDelegate.wipeDataForAccount; unless it says that it has removed all, the core removes the files that belong \
    to the account. policyManager.wipeDidComplete and enrollmentDelegate.unenrollRequestWithStatus tell the end. \
    Whatever interrupts it, the next start goes on; what cannot be removed is status 215, which names it, and is tried \
    again. Tells its progress. docs/account-life.md has the steps.
    """
  struct Params: Record {
    var account: AccountReference?
    var withWipe: Bool
    static let fields = Fields(
      Self.init, Field(required: "account", \.account, "The account; null ends with status 207."),
      Field(
        "withWipe", \.withWipe, default: false,
        "Whether the keys that this app has of the account are destroyed and its files removed, too."))
  }
  typealias Result = EnrollmentStatus
  static let resultSummary = """
    How it ended: 104 when done, 215 when a wipe is not done yet, 213 or 214 when there was nothing to do.
    """
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

enum RegisteredAccounts: MemoryMethod {
  static let name = "enrollmentManager.registeredAccounts"
  static let summary = "The accounts that are registered, enrolled or not."
  typealias Params = NoParameters
  typealias Result = [Account]
  static let resultSummary = "The accounts, in the order of their registration."
  static let example = Example(Result([.example]))
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -registeredAccounts", "IntuneMAMEnrollmentManager -registeredAccountIds",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> [Account] { state.accounts.map(\.account) }
}

enum EnrolledAccount: MemoryMethod {
  static let name = "enrollmentManager.enrolledAccount"
  static let summary = "The first account that was enrolled."
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary = "The account; null when none is enrolled."
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -enrolledAccount", "IntuneMAMEnrollmentManager -enrolledAccountId",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> Account? { state.primaryAccount?.account }
}

enum EnrolledAccounts: MemoryMethod {
  static let name = "enrollmentManager.enrolledAccounts"
  static let summary = "All accounts that are enrolled."
  typealias Params = NoParameters
  typealias Result = [Account]
  static let resultSummary = "The accounts, in the order of their registration."
  static let example = Example(Result([.example]))
  static let sdkMembers = ["IntuneMAMEnrollmentManager -enrolledAccountIds"]

  static func answer(_ params: Params, _ state: CoreState) -> [Account] { state.enrolledAccounts.map(\.account) }
}

enum GetAllowedAccounts: MemoryMethod {
  static let name = "enrollmentManager.allowedAccounts"
  static let summary = "The accounts that the administrator allows in the app."
  static let details = """
    As of the last answer of the policy source. When the device's management sets IntuneMAMAllowedAccountsOnly to \
    Enabled, its user alone.
    """
  typealias Params = NoParameters
  typealias Result = [Account]?
  static let resultSummary = "The accounts; null when every account is allowed."
  static let example = Example<Params, Result>([.example])
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -allowedAccounts", "IntuneMAMEnrollmentManager -allowedAccountIds",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> [Account]? { state.allowedAccounts }
}

enum MDMEnrolledAccount: WorkMethod {
  static let name = "enrollmentManager.mdmEnrolledAccount"
  static let summary = "The user for whom the device is managed as a whole."
  static let details = """
    Made from IntuneMAMUPN and IntuneMAMOID in the configuration that the device's management delivers, as the policy \
    source has it now.
    """
  typealias Params = NoParameters
  typealias Result = Account?
  static let resultSummary = "The account; null when the device is not managed, or the source cannot be read."
  static let usesStore = false
  static let example = Example<Params, Result>(.example)
  static let sdkMembers = [
    "IntuneMAMEnrollmentManager -mdmEnrolledAccount", "IntuneMAMEnrollmentManager -mdmEnrolledAccountId",
    "IntuneMAMEnrollmentManager -mdmEnrolledAccountIdWithCompletion:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) -> Account? {
    connection.core.source.mdmEnrolledAccount()
  }
}
