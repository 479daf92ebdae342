import JSON
import Model

package enum GetUserStatus: Method {
  package static let name = "userStatusManager.userStatus"
  package static let summary = "What is known of a user beside policy: whether the user is at work."
  package static let details = "As of the last answer of the policy source, grown stale by the time since."
  package struct Params: Record {
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(account:), Field("account", \.account, "The account; without it there is no user."))
  }
  package typealias Result = UserStatus?
  package static let resultSummary = "The status; null for no user and for an account that is not enrolled."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(
    Params(account: "alice@contoso.example"), UserStatus(clockStatus: .clockedIn))
  package static let sdkMembers = [
    "IntuneMAMUserStatusManager -userStatusForIdentity:", "IntuneMAMUserStatusManager -userStatusForAccountId:",
    "IntuneMAMUserStatus -clockStatus",
  ]
}
