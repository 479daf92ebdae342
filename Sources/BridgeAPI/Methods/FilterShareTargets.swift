import JSON
import Model

package enum FilterShareTargets: Method {
  package static let name = "enforcement.filterShareTargets"
  package static let summary = "With which of these apps may this account's data be shared, and must it be protected?"
  package static let details = """
    No app where data may be sent to none. Where only managed apps may have it, iOS offers all apps and what an unmanaged \
    one gets is protected, unless the policy filters them; on a managed device the policy can leave the protection to the \
    system. Android offers managed apps and those that the policy exempts. Of filtered ones that receive for another \
    account of this app, that account must accept the data.
    """
  package struct Params: Targeted {
    package var targets: [ShareTarget]
    package var account: AccountReference?
    package var window: String?
    package var target: PolicyTarget { .shown(account, window) }

    package init(targets: [ShareTarget], account: AccountReference? = nil, window: String? = nil) {
      self.targets = targets
      self.account = account
      self.window = window
    }

    package static let fields = Fields(
      Self.init(targets:account:window:), Field("targets", \.targets, "The apps that the user could choose."),
      Field("account", \.account, PolicyTarget.shownSummary),
      Field("window", \.window, PolicyTarget.mainWindowSummary))
  }
  package struct Result: Record {
    package var targets: [ShareTarget]
    package var encrypt: Bool

    package init(targets: [ShareTarget], encrypt: Bool) {
      self.targets = targets
      self.encrypt = encrypt
    }

    package static let fields = Fields(
      Self.init(targets:encrypt:), Field("targets", \.targets, "Those that may be offered, in the same order."),
      Field("encrypt", \.encrypt, "Whether the data must be protected before an app gets it."))
  }
  package static let resultSummary = "What may be offered, and how the data leaves."
  package static let errors: [APIError] = .policy
  package static let example = Example(
    Params(
      targets: [.example, ShareTarget(id: "com.example.notes", managed: false)], account: "alice@contoso.example"),
    Result(targets: [.example], encrypt: true))
}

extension ShareTarget {
  fileprivate static let example = ShareTarget(id: "com.example.mail", managed: true)
}
