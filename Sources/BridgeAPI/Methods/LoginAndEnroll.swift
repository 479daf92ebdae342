import JSON
import Model

package enum LoginAndEnrollAccount: Method {
  package static let name = "enrollmentManager.loginAndEnrollAccount"
  package static let summary = "Lets the user sign in, then registers and enrolls the account."
  package static let details = """
    Asks the host: auth.acquireToken, silently and then not, then ui.promptForCredentials. Where no host answers, it \
    ends with the error challenge: answer that, from any process, and repeat the call. The user's cancel is status 219, \
    another user or an empty token 203; neither registers the account. A policy source of files takes any other token as \
    proof; the token is not kept, only when it was given (signedInAt of tenant.status). Of an enrolled account nothing \
    is asked: status 208. A registered one is tried again. Commit point: the store's transaction that notes the sign-in, or that of the enrollment.
    """
  package struct Params: Record {
    package var account: AccountReference?
    package var window: String?
    package static let fields = Fields(
      Self.init(account:window:),
      Field(
        "account", \.account,
        "Who shall sign in; null for the user that the device is managed for, and without one for anybody."),
      Field("window", \.window, "The host's name for the window of the sign-in."))
  }
  package typealias Result = EnrollmentStatus
  package static let resultSummary = "How the attempt ended."
  package static let errors: [APIError] = [.challenge] + .store
  package static let example = Example(
    Params(account: "alice@contoso.example", window: "main"), EnrollmentStatus.exampleEnrolled)
  package static let sdkMembers = [
    "IntuneMAMEnrollmentManager -loginAndEnrollAccount:", "IntuneMAMEnrollmentManager -loginAndEnrollAccount:onWindow:",
  ]
}
