import JSON
import MAM
import Model

/// Part of the Android SDK: MAMEnrollmentManager.getRegisteredAccountStatus.
enum GetRegisteredAccountStatus: StateMethod {
  static let name = "enrollmentManager.registeredAccountStatus"
  static let summary = "Return the state of a registered account, in the words of the Android SDK."
  static let details = """
    pending: an attempt is running in this server process. authorizationNeeded: a sign-in or a token can help. \
    An enrolled account keeps its policy if a check-in fails, so its state stays enrollmentSucceeded. With the setting \
    MultiManagedIdentities, wrongUser is enrollmentFailed. On platform android with sdkLevel 21, an account without \
    policy is enrollmentSucceeded. companyPortalRequired is never returned. What a host may do in each state is the \
    member access of an EnrollmentStatus, and of an account in tenant.status.
    """
  struct Params: Record {
    var account: AccountReference
    static let fields = Fields(Self.init, Field("account", \.account, "The account."))
  }
  typealias Result = RegisteredAccountStatus?
  static let resultSummary = "The state; null for an account that is not registered."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), .enrollmentSucceeded)

  static func capture(_ params: Params, on connection: BridgeConnection) -> RegistrationQuestion {
    RegistrationQuestion(about: params.account, to: connection.core, at: connection.sdkLevel)
  }

  static func answer(_ question: RegistrationQuestion, _ state: CoreState) -> RegisteredAccountStatus? {
    state.registeredStatus(question)
  }
}
