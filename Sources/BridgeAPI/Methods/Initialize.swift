import JSON
import Model

package enum Initialize: Method {
  package static let name = "initialize"
  package static let summary = "Makes a connection a host's: says who it is, what it answers and what it wants to hear."
  package static let details = """
    Optional. Before it a connection is a script, whose requests run one after the other; after it slow requests run \
    side by side and are answered when done. Waits for all requests before it; in a batch, or twice, it is -32600. \
    It is the launch of the application: with AutoEnrollOnLaunch the user that the device is managed for is enrolled \
    before the answer, when nobody is enrolled yet; policyDelegate.addIdentity is asked behind it. Without MultiIdentity the conditional launch of the process identity \
    is evaluated, and nobody is asked: the report has every rule and the open challenges; a check-in is tried where \
    conditionalLaunch.evaluate tries one, and a wipe is begun before the answer and done behind it. With MultiIdentity \
    nothing is shown yet, so nothing is evaluated. A launch that is blocked is a result, not an \
    error; with MAMPolicyRequired policy and data methods end with policyRequired until an account has a policy. \
    Requests of the server (x-delegates) go to the connection whose call caused them when it has declared them here, \
    else to the oldest that has; without an answer in 60 s, their default happens. A protocolVersion that the server \
    does not speak is no error: the result names the one it speaks, and the host decides whether it goes on. \
    All that a call of this connection tells the user is in the language of its locale, which is English, Portuguese, \
    Spanish, Turkish, Italian or Japanese, and English for any other (the server's own is by --locale or its \
    environment): challenges, alerts, prompts, compliance reports, refusals. A challenge is stored in no language, so \
    that each reader has it in its own; what the server does by itself, and the texts in an event, are in the language \
    of the server or of the call that caused it.
    """
  package struct Params: Record {
    package var client: ClientInfo?
    package var delegates: [HostRequestName]
    package var events: [PushName]
    package var processId: Int?
    package var protocolVersion: String?
    package var locale: String?
    package static let fields = Fields(
      Self.init(client:delegates:events:processId:protocolVersion:locale:),
      Field("client", \.client, "Who the host is: written into the diagnostics log."),
      Field("delegates", \.delegates, default: [], "Which requests of the server the host answers."),
      Field("events", \.events, default: [], "Which events are pushed; events.subscribe adds more."),
      Field("processId", \.processId, "A process whose death counts as the end of input."),
      Field(
        "protocolVersion", \.protocolVersion,
        "The protocol version that the host speaks; the result has the server's."),
      Field(
        "locale", \.locale,
        "The language of the host's user, in BCP 47, such as pt-BR. Without it that of the server holds."))
  }
  package typealias Result = ServerInfo
  package static let resultSummary = "Who the server is and what it allows."
  package static let errors: [APIError] = [.invalidRequest] + .store
  package static let example = Example(
    Params(
      client: ClientInfo(name: "notes", version: "2.1"), delegates: [HostRequestName(RestartApplication.self)],
      events: [PushName(PolicyDidChange.self)], processId: nil, protocolVersion: nil, locale: "pt-BR"),
    ServerInfo(
      name: "mambridge", version: "0.1.0", sdkVersion: SDKVersion.implementedVersion,
      protocolVersion: ServerInfo.protocolVersion, limits: [:], schemaHash: String(repeating: "0", count: 64),
      launch: LaunchReport(verdict: .allow, reasons: [])))
  package static let sdkMembers = [
    "IntuneMAMPolicyManager delegate", "IntuneMAMEnrollmentManager delegate", "IntuneMAMComplianceManager delegate",
    "IntuneMAMTelemetryManager delegate", "IntuneMAMPolicyManager logger",
  ]
}

/// Who a host is.
package struct ClientInfo: Record {
  package var name: String
  package var version: String?
  package static let fields = Fields(
    Self.init(name:version:), Field("name", \.name, "The host program's name."),
    Field("version", \.version, "Its version."))
}

/// Who a server is.
package struct ServerInfo: Record {
  package static let protocolVersion = "1"

  package var name: String
  package var version: String
  package var sdkVersion: String
  package var protocolVersion: String
  package var limits: [String: Int]
  package var schemaHash: String
  package var launch: LaunchReport

  package init(
    name: String, version: String, sdkVersion: String, protocolVersion: String, limits: [String: Int],
    schemaHash: String, launch: LaunchReport
  ) {
    self.name = name
    self.version = version
    self.sdkVersion = sdkVersion
    self.protocolVersion = protocolVersion
    self.limits = limits
    self.schemaHash = schemaHash
    self.launch = launch
  }

  package static let schemaName: String? = "ServerInfo"
  package static let fields = Fields(
    Self.init(name:version:sdkVersion:protocolVersion:limits:schemaHash:launch:),
    Field("name", \.name, "The server's name."), Field("version", \.version, "Its version."),
    Field("sdkVersion", \.sdkVersion, "The level of the SDK that is implemented."),
    Field("protocolVersion", \.protocolVersion, "The version of the protocol that the server speaks."),
    Field("limits", \.limits, "What one connection may ask of the server, by the names in data.limit."),
    Field("schemaHash", \.schemaHash, "SHA-256, in hex, of the document that `mambridge schema` prints."),
    Field("launch", \.launch, "Whether the application may go on."))
}
