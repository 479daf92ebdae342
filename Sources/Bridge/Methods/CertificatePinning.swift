import JSON
import MAM
import Model

enum IsPinningEnabled: MemoryMethod {
  static let name = "certificatePinningManager.isPinningEnabled"
  static let summary = "Does the administrator pin the keys of any host for this account?"
  static let details = """
    Pins come with the policy source's answer at a check-in (certificatePins in tenant.json) and hold for enrolled \
    accounts until the next answer.
    """
  typealias Params = PinningAccount
  typealias Result = Bool
  static let resultSummary = "Whether there are pins."
  static let example = Example(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = ["IntuneMAMCertificatePinningManager -isPinningEnabledForAccountId:"]

  static func answer(_ asked: Asked<Params>, _ state: CoreState) -> Bool {
    !state.certificatePins(of: asked.account).isEmpty
  }
}

enum ValidateChainWithCertificates: WorkMethod {
  static let name = "certificatePinningManager.validateChainWithCertificates"
  static let summary = "Is this chain, which a server has sent, that of its host as the administrator pins it?"
  static let details = """
    Checked in this order, and the first that is wrong is the error: the arguments (2101, 2102, 2105); a host without \
    pins is true; algorithms that are not known (2106); the way to a trusted authority, with time by the server's \
    clock, alternative names with wildcards or addresses, purpose, and a strength of 112 bits (2103); signatures and \
    order (2104); a pinned key on that way (2107), the authority's included. Trusted authorities are those of the \
    system, or of SSL_CERT_FILE and SSL_CERT_DIR, read again when these change. Revocation is not checked: nothing is \
    asked over a network.
    """
  struct Params: AccountTargeted {
    var certificates: CertificateList?
    var hostname: String?
    var account: AccountReference?
    static let fields = Fields(
      Self.init,
      Field(
        required: "certificates", \.certificates,
        "What the server has sent, its own first: X.509 in DER, 64 KiB at most each."),
      Field(required: "hostname", \.hostname, "The host that was opened: a name or an address, without port."),
      Field("account", \.account, PinningAccount.summary))
  }
  typealias Result = Bool
  static let resultSummary = "True; what is wrong is an error."
  static let errors: [ErrorCode] = .pinning
  static let example = Example<Params, Result>(
    Params(certificates: .example, hostname: "mail.contoso.example", account: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMCertificatePinningManager -validateChainWithCertificates:andHostname:andIdentity:error:",
    "IntuneMAMCertificatePinningManager -validateChainWithCertificates:andHostname:andAccountId:error:",
  ]

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Bool {
    let params = asked.params
    try connection.core.pinning.validate(
      params.certificates?.certificates, hostname: params.hostname, for: asked.account)
    return true
  }
}

enum ValidateChainWithChallenge: WorkMethod {
  static let name = "certificatePinningManager.validateChainWithChallenge"
  static let summary = "The same for a challenge in which both stand: the host and what it has sent."
  static let details = "A challenge that is null is 2100. \(ValidateChainWithCertificates.details)"
  struct Params: AccountTargeted {
    var challenge: ServerTrustChallenge?
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "challenge", \.challenge, "Who is to be trusted."),
      Field("account", \.account, PinningAccount.summary))
  }
  typealias Result = Bool
  static let resultSummary = ValidateChainWithCertificates.resultSummary
  static let errors: [ErrorCode] = [.invalidChallenge] + ValidateChainWithCertificates.errors
  static let example = Example<Params, Result>(
    Params(
      challenge: ServerTrustChallenge(host: "mail.contoso.example", certificates: .example),
      account: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMCertificatePinningManager -validateChainWithChallenge:andIdentity:error:",
    "IntuneMAMCertificatePinningManager -validateChainWithChallenge:andAccountId:error:",
  ]

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Bool {
    guard let challenge = asked.params.challenge else { throw .noChallenge }
    try connection.core.pinning.validate(
      challenge.certificates?.certificates, hostname: challenge.host, for: asked.account)
    return true
  }
}

enum ShowPinningErrorMessage: WorkMethod {
  static let name = "certificatePinningManager.showErrorMessage"
  static let summary = "Tells the user, by ui.showAlert, that a server is not the organization's."
  static let details = """
    Answered when the user has dismissed it, at once where no host shows alerts. The text is the same for all accounts.
    """
  typealias Params = PinningAccount
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let usesStore = false
  static let example = Example(Params(account: "alice@contoso.example"), Nothing())
  static let sdkMembers = [
    "IntuneMAMCertificatePinningManager -showErrorMessageForIdentity:withDismissHanlder:",
    "IntuneMAMCertificatePinningManager -showErrorMessageForAccountId:withDismissHandler:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) async -> Nothing {
    await connection.core.alerts.showPinningFailed()
    return Nothing()
  }
}

/// Whose administrator pins.
struct PinningAccount: AccountTargeted {
  static let summary = "Whose administrator pins; without it the effective identity's."

  var account: AccountReference?
  static let fields = Fields(Self.init, Field("account", \.account, summary))
}

/// What a host is asked when it opens a connection.
struct ServerTrustChallenge: Record {
  var host: String?
  var certificates: CertificateList?
  static let schemaName: String? = "ServerTrustChallenge"
  static let fields = Fields(
    Self.init,
    Field(required: "host", \.host, "The host that was opened: a name or an address, without port."),
    Field(
      required: "certificates", \.certificates,
      "What the server has sent, its own first: X.509 in DER, 64 KiB at most each."))
}

/// Certificates as a server sends them, in DER: as many and as large as any server's are, and no more.
struct CertificateList: FieldValue, Hashable {
  static let greatestCount = 32
  static let greatestSize = 64 << 10

  let certificates: [[UInt8]]

  init(_ certificates: [[UInt8]]) {
    self.certificates = certificates
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> CertificateList {
    if let count = node.elementCount, count > greatestCount {
      throw JSONDecodingError(.invalid("must have at most \(greatestCount) certificates"))
    }
    let certificates = try [Base64Bytes].decode(node).map(\.bytes)
    if let index = certificates.firstIndex(where: { $0.count > greatestSize }) {
      throw JSONDecodingError(.invalid("must have at most \(greatestSize) bytes")).inside(String(index))
    }
    return CertificateList(certificates)
  }

  func encode(to writer: inout JSONWriter) { certificates.map(Base64Bytes.init).encode(to: &writer) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "array", "items": Base64Bytes.schema(in: &components), "maxItems": .integer(Int64(greatestCount))]
  }
}

extension CertificateList {
  /// The first bytes alone: a real certificate would end some day.
  static let example = CertificateList([[0x30, 0x82, 0x01, 0x20], [0x30, 0x82, 0x01, 0x4B]])
}
