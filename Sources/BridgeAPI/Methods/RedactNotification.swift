import JSON
import Model

package enum RedactNotification: Method {
  package static let name = "enforcement.redactNotification"
  package static let summary = "What may a notification about this account's data show?"
  package static let details = """
    As policy.notificationPolicy says: all of it, words that hold no data of the organization, or nothing, and then it \
    must not be shown.
    """
  package struct Params: Targeted {
    package var title: String
    package var body: String
    package var account: AccountReference
    package var target: PolicyTarget { PolicyTarget(account: account) }

    package init(title: String, body: String, account: AccountReference) {
      self.title = title
      self.body = body
      self.account = account
    }

    package static let fields = Fields(
      Self.init(title:body:account:), Field("title", \.title, "Its title."), Field("body", \.body, "Its text."),
      Field("account", \.account, "Whose data it is about; \"\" is no user."))
  }
  package struct Result: Record {
    package var show: Bool
    package var title: String
    package var body: String

    package init(show: Bool, title: String, body: String) {
      self.show = show
      self.title = title
      self.body = body
    }

    package static let fields = Fields(
      Self.init(show:title:body:), Field("show", \.show, "Whether it may be shown at all."),
      Field("title", \.title, "The title to show; \"\" where nothing may be shown."),
      Field("body", \.body, "The text to show; \"\" where nothing may be shown."))
  }
  package static let resultSummary = "What to show."
  package static let errors: [APIError] = .policy
  package static let example = Example(
    Params(title: "Eve", body: "The figures are in.", account: "alice@contoso.example"),
    Result(show: true, title: "New notification", body: "Open the application to see it."))
}
