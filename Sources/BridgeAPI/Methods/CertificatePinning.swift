import JSON
import Model

package enum IsPinningEnabled: Method {
  package static let name = "certificatePinningManager.isPinningEnabled"
  package static let summary = "Does the administrator pin the keys of any host for this account?"
  package static let details = """
    Pins come with the policy source's answer at a check-in (certificatePins in tenant.json) and hold for enrolled \
    accounts until the next answer.
    """
  package typealias Params = PinningAccount
  package typealias Result = Bool
  package static let resultSummary = "Whether there are pins."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(account: "alice@contoso.example"), false)
  package static let sdkMembers = ["IntuneMAMCertificatePinningManager -isPinningEnabledForAccountId:"]
}

package enum ValidateChainWithCertificates: Method {
  package static let name = "certificatePinningManager.validateChainWithCertificates"
  package static let summary = "Is this chain, which a server has sent, that of its host as the administrator pins it?"
  package static let details = """
    Checked in this order, and the first that is wrong is the error: the arguments (2101, 2102, 2105); a host without \
    pins is true; algorithms that are not known (2106); the way to a trusted authority, with time by the server's clock, \
    alternative names with wildcards or addresses, purpose, and a strength of 112 bits (2103); signatures and order \
    (2104); a pinned key on that way (2107), the authority's included. Trusted authorities are those of the system, or \
    of SSL_CERT_FILE and SSL_CERT_DIR, read again when these change. Revocation is not checked: nothing is asked over a network.
    """
  package struct Params: Targeted {
    package var certificates: CertificateList?
    package var hostname: String?
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(certificates:hostname:account:),
      Field(
        required: "certificates", \.certificates,
        "What the server has sent, its own first: X.509 in DER, 64 KiB at most each."),
      Field(required: "hostname", \.hostname, "The host that was opened: a name or an address, without port."),
      Field("account", \.account, PinningAccount.summary))
    package var target: PolicyTarget { PolicyTarget(account: account) }
  }
  package typealias Result = Bool
  package static let resultSummary = "True; what is wrong is an error."
  package static let errors: [APIError] = .pinning + .store
  package static let example = Example<Params, Result>(
    Params(certificates: .example, hostname: "mail.contoso.example", account: "alice@contoso.example"), true)
  package static let sdkMembers = [
    "IntuneMAMCertificatePinningManager -validateChainWithCertificates:andHostname:andIdentity:error:",
    "IntuneMAMCertificatePinningManager -validateChainWithCertificates:andHostname:andAccountId:error:",
  ]
}

package enum ValidateChainWithChallenge: Method {
  package static let name = "certificatePinningManager.validateChainWithChallenge"
  package static let summary = "The same for a challenge in which both stand: the host and what it has sent."
  package static let details = "A challenge that is null is 2100. \(ValidateChainWithCertificates.details)"
  package struct Params: Targeted {
    package var challenge: ServerTrustChallenge?
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(challenge:account:), Field(required: "challenge", \.challenge, "Who is to be trusted."),
      Field("account", \.account, PinningAccount.summary))
    package var target: PolicyTarget { PolicyTarget(account: account) }
  }
  package typealias Result = Bool
  package static let resultSummary = ValidateChainWithCertificates.resultSummary
  package static let errors: [APIError] = [.invalidChallenge] + ValidateChainWithCertificates.errors
  package static let example = Example<Params, Result>(
    Params(
      challenge: ServerTrustChallenge(host: "mail.contoso.example", certificates: .example),
      account: "alice@contoso.example"), true)
  package static let sdkMembers = [
    "IntuneMAMCertificatePinningManager -validateChainWithChallenge:andIdentity:error:",
    "IntuneMAMCertificatePinningManager -validateChainWithChallenge:andAccountId:error:",
  ]
}

package enum ShowPinningErrorMessage: Method {
  package static let name = "certificatePinningManager.showErrorMessage"
  package static let summary = "Tells the user, by ui.showAlert, that a server is not the organization's."
  package static let details = """
    Answered when the user has dismissed it, at once where no host shows alerts. The text is the same for all accounts.
    """
  package typealias Params = PinningAccount
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let example = Example(Params(account: "alice@contoso.example"), Nothing())
  package static let sdkMembers = [
    "IntuneMAMCertificatePinningManager -showErrorMessageForIdentity:withDismissHanlder:",
    "IntuneMAMCertificatePinningManager -showErrorMessageForAccountId:withDismissHandler:",
  ]
}

/// Whose administrator pins.
package struct PinningAccount: Targeted {
  static let summary = "Whose administrator pins; without it the effective identity's."

  package var account: AccountReference?
  package static let fields = Fields(Self.init(account:), Field("account", \.account, summary))
  package var target: PolicyTarget { PolicyTarget(account: account) }
}

/// What a host is asked when it opens a connection.
package struct ServerTrustChallenge: Record {
  package var host: String?
  package var certificates: CertificateList?
  package static let schemaName: String? = "ServerTrustChallenge"
  package static let fields = Fields(
    Self.init(host:certificates:),
    Field(required: "host", \.host, "The host that was opened: a name or an address, without port."),
    Field(
      required: "certificates", \.certificates,
      "What the server has sent, its own first: X.509 in DER, 64 KiB at most each."))
}

extension CertificateList {
  /// The first bytes alone: a real certificate would end some day.
  static let example = CertificateList([[0x30, 0x82, 0x01, 0x20], [0x30, 0x82, 0x01, 0x4B]])
}
