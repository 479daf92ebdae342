import JSON
import MAM
import Model
import SourceProtocol
import Support

/// A method about the network of a sandbox. Calls may run beside others, and all of them start the network.
protocol SandboxNetworkMethod: SandboxMethod {}

extension SandboxNetworkMethod {
  static var errors: [ErrorCode] { [.networkFailed] }
  static func queue(_ params: Params) -> String? { nil }
}

enum StartSandboxNetwork: SandboxNetworkMethod {
  static let name = "sandbox.network"
  static let summary = "Serve the tenant over the network: a tenant service, Graph and an identity provider."
  static let details = """
    Starts mambridge-tenant dev on this machine, or the program that MAMBRIDGE_TENANT_PROGRAM names, and ends it with the \
    sandbox. The same network each time; another one if it has ended by itself. Other methods about the network start it, \
    too. When a method of the sandbox returns, the network has read what the method has changed; other changes of the \
    tenant's files count within a second.
    """
  typealias Params = NoParameters
  struct Result: Record {
    var url: String
    var authority: String
    var clientId: String
    var graph: String
    var tenantId: String
    var certificate: String
    var secret: String
    var environment: [String: String]
    static let schemaName = "SandboxNetwork"
    static let fields = Fields(
      Self.init, Field("url", \.url, "The address of the service."),
      Field("authority", \.authority, "The identity provider."),
      Field("clientId", \.clientId, "The id of a client that may sign users in."),
      Field("graph", \.graph, "The address of Graph."), Field("tenantId", \.tenantId, "The id of the tenant."),
      Field("certificate", \.certificate, "The path of the certificate to trust."),
      Field("secret", \.secret, "The token for paths below /dev."),
      Field(
        "environment", \.environment,
        "The variables with which programs trust the certificate, and mambridge finds mambridge-tenant."))
  }
  static let resultSummary = "What to configure an app with."
  static let example = Example(
    Result(
      url: "https://127.0.0.1:41873",
      authority: "https://127.0.0.1:41873/6babcaad-604b-40ac-a9d7-9fd97c0b779f/v2.0",
      clientId: "de5c11e7-0000-4000-8000-000000000001", graph: "https://127.0.0.1:41873/v1.0",
      tenantId: "6babcaad-604b-40ac-a9d7-9fd97c0b779f", certificate: "/run/user/1000/dev/certificate.pem",
      secret: "2Vd0Yw", environment: ["SSL_CERT_FILE": "/run/user/1000/dev/certificate.pem"]))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Result {
    let running = try await sandbox.network.running(startingAnother: true)
    let places = running.places
    return Result(
      url: places.service, authority: places.authority, clientId: places.clientId, graph: places.graph,
      tenantId: places.tenantId, certificate: places.certificate, secret: places.secret,
      environment: running.environment)
  }
}

enum GetNetworkApp: SandboxNetworkMethod {
  static let name = "sandbox.networkApp"
  static let summary = "Make a state for an app whose policy source is the network, and whose user is signed in."
  static let details = """
    Start mambridge with the arguments and the variables. Each call makes a state, which ends with the sandbox. The app uses \
    the clock of the system.
    """
  struct Params: Record {
    var user: String
    static let fields = Fields(Self.init, Field("user", \.user, "The user principal name."))
  }
  struct Result: Record {
    var arguments: [String]
    var environment: [String: String]
    static let schemaName = "NetworkApp"
    static let fields = Fields(
      Self.init, Field("arguments", \.arguments, "The arguments of mambridge."),
      Field("environment", \.environment, "The variables to add to its environment."))
  }
  static let resultSummary = "How to start mambridge."
  static let example = Example(
    Params(user: "alice@contoso.example"),
    Result(
      arguments: ["--tenant", "https://127.0.0.1:41873", "--state", "/run/user/1000/dev/device-1"],
      environment: ["SSL_CERT_FILE": "/run/user/1000/dev/certificate.pem"]))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Result {
    let running = try await sandbox.network.running()
    let url = running.places.service
    let token = [running.program, "dev-token", params.user, "--service", url].map(CommandWords.quoted)
    let state = try await sandbox.network.makeState()
    return Result(
      arguments: ["--tenant", url, "--state", state, "--token-command", token.joined(separator: " ")],
      environment: running.environment)
  }
}

enum GetNetworkToken: SandboxNetworkMethod {
  static let name = "sandbox.networkToken"
  static let summary = "Return an access token of a user, for the service and for Graph."
  static let details =
    "Fails as the sign-in does: for a user who may not sign in, and while a fault of token is planted."
  typealias Params = GetNetworkApp.Params
  typealias Result = String
  static let resultSummary = "The token."
  static let example = Example(
    Params(user: "alice@contoso.example"), "eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl")

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> String { try await sandbox.network.token(of: params.user).text }
}

enum SendToNetwork: SandboxNetworkMethod {
  static let name = "sandbox.networkSend"
  static let summary = "Send a request to the service, to Graph or to the identity provider."
  typealias Params = ToDevelopment.Send.Params
  typealias Result = DevelopmentAnswer
  static let resultSummary = "The status and the body of the answer."
  static let example = Example(
    Params(method: "GET", path: "/v1.0/me", token: nil, body: nil), DevelopmentAnswer(status: 401, body: "{}"))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> DevelopmentAnswer { try await sandbox.network.send(params) }
}

enum PlantNetworkFault: SandboxNetworkMethod {
  static let name = "sandbox.networkFault"
  static let summary = "Let the network fail at a place: checkIn, graph, token or keys."
  static let details = "mambridge-tenant dev --help lists the kinds. An error names those that a place has."
  struct Params: Record {
    var at: String
    var kind: String
    var times: FaultTimes?
    var delay: String?
    static let fields = Fields(
      Self.init, Field("at", \.at, "What fails."), Field("kind", \.kind, "How it fails."),
      Field("times", \.times, "How many answers it hits, at most 1,000; defaults to all until faults are cleared."),
      Field("delay", \.delay, "How long a slow answer takes, or Retry-After; such as PT30S or PT1.5S."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(at: "checkIn", kind: "serviceUnavailable", times: 1), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    var fault: JSONObject = ["at": .string(params.at), "kind": .string(params.kind)]
    fault["times"] = params.times.map { .integer($0.value) }
    fault["delay"] = params.delay.map { .string($0) }
    try await sandbox.network.control("POST", "faults", .object(fault))
    return Nothing()
  }
}

enum ClearNetworkFaults: SandboxNetworkMethod {
  static let name = "sandbox.clearNetworkFaults"
  static let summary = "End all faults of the network."
  typealias Params = NoParameters
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    try await sandbox.network.control("DELETE", "faults")
    return Nothing()
  }
}

enum ListNetworkRequests: SandboxNetworkMethod {
  static let name = "sandbox.networkRequests"
  static let summary = "Return the last requests to the network, without those of this sandbox to control it."
  typealias Params = NoParameters
  typealias Result = [NetworkRequest]
  static let resultSummary = "At most 500 requests, oldest first."
  static let example = Example([
    NetworkRequest(
      method: "POST", path: "/mam/v1/check-in", status: 503, who: "alice@contoso.example", why: nil,
      fault: "serviceUnavailable", text: "POST /mam/v1/check-in by alice@contoso.example: 503, serviceUnavailable")
  ])

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> [NetworkRequest] { try await sandbox.network.requests() }
}

enum GetNetworkLog: SandboxNetworkMethod {
  static let name = "sandbox.networkLog"
  static let summary = "Return what the network has written to its log."
  typealias Params = NoParameters
  typealias Result = String
  static let resultSummary = "The last 5,000 lines."
  static let example = Example("listening on https://127.0.0.1:41873")

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> String { try await sandbox.network.log }
}

extension DevelopmentTenant {
  /// The variables with which programs trust the certificate, and mambridge finds the program.
  fileprivate var environment: [String: String] {
    var variables = ["SSL_CERT_FILE": places.certificate]
    if let slash = program.lastIndex(of: "/") { variables["MAMBRIDGE_LIBEXEC"] = String(program[..<slash]) }
    return variables
  }
}
