import JSON
import MAM
import Model

enum IsPinningEnabled: StateMethod {
  static let name = "certificatePinningManager.isPinningEnabled"
  static let summary = "Report whether the administrator pins the keys of any host for an account."
  static let details = """
    The policy source delivers pins at a check-in (certificatePins in tenant.json). They apply to enrolled accounts \
    until its next answer.
    """
  typealias Params = PinningAccount
  typealias Captured = Addressed<Params>
  typealias Result = Bool
  static let resultSummary = "Whether there are pins."
  static let example = Example(Params(account: "alice@contoso.example"), false)
  static let sdkMembers = ["IntuneMAMCertificatePinningManager -isPinningEnabledForAccountId:"]

  static func answer(_ asked: Addressed<Params>, _ state: CoreState) -> Bool {
    !state.certificatePins(of: asked.account).isEmpty
  }
}

enum ValidateChainWithCertificates: WorkMethod {
  static let name = "certificatePinningManager.validateChainWithCertificates"
  static let summary = """
    Check that a remote server's certificate chain is trusted and matches the keys that the administrator pinned for \
    it.
    """
  static let details = """
    The checks run in this order, and the first failure is the error: the arguments (2101, 2102, 2105), unknown \
    algorithms (2106), trust (2103), signatures and order (2104), pins (2107). If no keys are pinned for the remote \
    server, the result is true once the arguments are checked. Trust means a path to a trusted authority, validity at \
    the time of mambridge's clock, an alternative name that matches the name (wildcards included) or address, the \
    right purpose, and a strength of at least 112 bits. A pin may match any key on that path, including the \
    authority's. Trusted authorities are those of the system, or of SSL_CERT_FILE and SSL_CERT_DIR, and are read again \
    when these change. Revocation is not checked, because nothing is asked over a network.
    """
  struct Params: AccountTargeted {
    var certificates: CertificateList?
    var hostname: String?
    var account: AccountReference?
    static let fields = Fields(
      Self.init,
      Field(
        required: "certificates", \.certificates,
        "The certificates that the remote server sent, its own first: X.509 in DER, at most 64 KiB each."),
      Field(required: "hostname", \.hostname, "The name or address of the remote server, without port."),
      Field("account", \.account, PinningAccount.summary))
  }
  typealias Result = Bool
  static let resultSummary = "True; a failed check is an error."
  static let errors: [ErrorCode] = .pinning
  static let example = Example<Params, Result>(
    Params(certificates: .example, hostname: "mail.contoso.example", account: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMCertificatePinningManager -validateChainWithCertificates:andHostname:andIdentity:error:",
    "IntuneMAMCertificatePinningManager -validateChainWithCertificates:andHostname:andAccountId:error:",
  ]

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) throws(MAMError) -> Bool {
    let params = asked.params
    try connection.core.pinning.validate(
      params.certificates?.certificates, hostname: params.hostname, for: asked.account)
    return true
  }
}

enum ValidateChainWithChallenge: WorkMethod {
  static let name = "certificatePinningManager.validateChainWithChallenge"
  static let summary = "Check the certificate chain in a challenge, which also names the remote server."
  static let details = "A null challenge is error 2100. \(ValidateChainWithCertificates.details)"
  struct Params: AccountTargeted {
    var challenge: ServerTrustChallenge?
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "challenge", \.challenge, "The remote server and the certificates that it sent."),
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

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) throws(MAMError) -> Bool {
    guard let challenge = asked.params.challenge else { throw .noChallenge }
    try connection.core.pinning.validate(
      challenge.certificates?.certificates, hostname: challenge.host, for: asked.account)
    return true
  }
}

enum ShowPinningErrorMessage: WorkMethod {
  static let name = "certificatePinningManager.showErrorMessage"
  static let summary = "Tell the user, with ui.showAlert, that a remote server is not the organization's."
  static let details = """
    Answered when the user dismisses the alert, or at once if no host shows alerts. The text is the same for all \
    accounts.
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

/// The account whose pins apply.
struct PinningAccount: AccountTargeted {
  static let summary = "The account whose pins apply; defaults to the effective identity."

  var account: AccountReference?
  static let fields = Fields(Self.init, Field("account", \.account, summary))
}

/// What a remote server presents when a connection opens: its name and its certificates.
struct ServerTrustChallenge: Record {
  var host: String?
  var certificates: CertificateList?
  static let fields = Fields(
    Self.init,
    Field(required: "host", \.host, "The name or address of the remote server, without port."),
    Field(
      required: "certificates", \.certificates,
      "The certificates that the remote server sent, its own first: X.509 in DER, at most 64 KiB each."))
}

/// The certificates of a remote server, in DER: at most 32, of at most 64 KiB each.
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
  /// Only the first bytes, because a real certificate would expire.
  static let example = CertificateList([[0x30, 0x82, 0x01, 0x20], [0x30, 0x82, 0x01, 0x4B]])
}
