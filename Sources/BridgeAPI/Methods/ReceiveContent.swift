import JSON
import Model

package enum ReceiveContent: Method {
  package static let name = "enforcement.receive"
  package static let summary = "May a window have what another app hands over, and whose is it?"
  package static let details = """
    Exactly one of url, paths and itemProvider is given. Protected files and bytes are their owner's, all else is the \
    sender's where that is managed, and nobody's otherwise. In a multi-identity app the window must show the owner of \
    managed data, and nobody for data that its account may not receive: policyDelegate.identitySwitchRequired asks for \
    it, with openURL for a url and documentImport for the others, and what is not \"success\" blocks. What is allowed is \
    what policyManager.getIdentityForCurrentActivity tells of the window; files without an owner get the managed sender, \
    or the user of a managed device whose policy protects data of unknown sources.
    """
  package struct Params: Targeted {
    package var from: ContentSender
    package var url: AbsoluteURL?
    package var paths: [AbsolutePath]?
    package var itemProvider: ItemProvider?
    package var window: String?
    package var target: PolicyTarget { .shown(nil, window) }

    package init(
      from: ContentSender, url: AbsoluteURL? = nil, paths: [AbsolutePath]? = nil, itemProvider: ItemProvider? = nil,
      window: String? = nil
    ) {
      self.from = from
      self.url = url
      self.paths = paths
      self.itemProvider = itemProvider
      self.window = window
    }

    package static let fields = Fields(
      Self.init(from:url:paths:itemProvider:window:), Field("from", \.from, "Who hands it over."),
      Field("url", \.url, "An address that is to be opened."),
      Field("paths", \.paths, "Documents that are to be opened."),
      Field("itemProvider", \.itemProvider, "An item that is to be taken."),
      Field("window", \.window, "The host's name for the window; without it \"main\"."))
  }
  package struct Result: Record {
    package var allowed: Bool
    package var account: Account
    package var refusal: Refusal?

    package init(allowed: Bool, account: Account, refusal: Refusal? = nil) {
      self.allowed = allowed
      self.account = account
      self.refusal = refusal
    }

    package static let fields = Fields(
      Self.init(allowed:account:refusal:), Field("allowed", \.allowed, "Whether the window may use it."),
      Field("account", \.account, "Whose it is; both halves \"\" for nobody's."),
      Field("refusal", \.refusal, "What to tell the user where it is not allowed; null where it is."))
  }
  package static let resultSummary = "Whether it may be used, and whose it is."
  package static let errors: [APIError] =
    [.invalidArguments, .failedToEncryptData, .failedToDecryptData, .tooManyIdentities] + .replacement + .keys + .policy
  package static let example = Example(
    Params(from: ContentSender(account: "alice@contoso.example", managed: true), paths: [.example]),
    Result(allowed: true, account: .example))
}

/// The other app.
package struct ContentSender: Record {
  package var account: AccountReference?
  package var managed: Bool

  package init(account: AccountReference? = nil, managed: Bool) {
    self.account = account
    self.managed = managed
  }

  package static let fields = Fields(
    Self.init(account:managed:), Field("account", \.account, "The account that it acts for; null for nobody."),
    Field("managed", \.managed, "Whether that account is managed there."))
}
