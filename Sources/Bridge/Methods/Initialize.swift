import Cryptography
import JSON
import JSONRPC
import MAM
import Model
import Support

enum Initialize: WorkMethod {
  static let name = "initialize"
  static let summary = "Makes a connection a host's: says who it is, what it answers and what it wants to hear."
  static let details = """
    Optional. Before it a connection is a script, whose requests run one after the other; after it slow requests run \
    side by side and are answered when done. Waits for all requests before it; in a batch, or twice, it is -32600. It \
    is the launch of the application: with AutoEnrollOnLaunch the user that the device is managed for is enrolled \
    before the answer, when nobody is enrolled yet; policyDelegate.addIdentity is asked behind it. Without \
    MultiIdentity the conditional launch of the process identity is evaluated, and nobody is asked: the report has \
    every rule and the open challenges; a check-in is tried where conditionalLaunch.evaluate tries one, and a wipe is \
    begun before the answer and done behind it. With MultiIdentity nothing is shown yet, so nothing is evaluated. A \
    launch that is blocked is a result, not an error; with MAMPolicyRequired policy and data methods end with \
    policyRequired until an account has a policy. Requests of the server (x-delegates) go to the connection whose call \
    caused them when it has declared them here, else to the oldest that has; without an answer in 60 s, their default \
    happens. A protocolVersion that the server does not speak is no error: the result names the one it speaks, and the \
    host decides whether it goes on. All that a call of this connection tells the user is in the language of its \
    locale, which is English, Portuguese, Spanish, Turkish, Italian or Japanese, and English for any other (the \
    server's own is by --locale or its environment): challenges, alerts, prompts, compliance reports, refusals. A \
    challenge is stored in no language, so that each reader has it in its own; what the server does by itself, and the \
    texts in an event, are in the language of the server or of the call that caused it.
    """
  struct Params: Record {
    var client: ClientInfo?
    var delegates: [HostRequestName]
    var events: [PushName]
    var processId: Int?
    var protocolVersion: String?
    var locale: String?
    static let fields = Fields(
      Self.init,
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
  typealias Result = ServerInfo
  static let resultSummary = "Who the server is and what it allows."
  static let errors: [ErrorCode] = [.invalidRequest]
  static let example = Example(
    Params(
      client: ClientInfo(name: "notes", version: "2.1"), delegates: [HostRequestName(RestartApplication.self)],
      events: [PushName(PolicyDidChange.self)], processId: nil, protocolVersion: nil, locale: "pt-BR"),
    ServerInfo(
      name: "mambridge", version: "0.1.0", sdkVersion: Device.implementedSDKVersion,
      protocolVersion: ServerInfo.protocolVersion, limits: [:], schemaHash: String(repeating: "0", count: 64),
      launch: LaunchReport(verdict: .allow, reasons: [])))
  static let sdkMembers = [
    "IntuneMAMPolicyManager delegate", "IntuneMAMEnrollmentManager delegate", "IntuneMAMComplianceManager delegate",
    "IntuneMAMTelemetryManager delegate", "IntuneMAMPolicyManager logger",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> ServerInfo {
    connection.bridge.note(params.client, speaking: params.protocolVersion)
    if let locale = params.locale { connection.speak(locale) }
    let outcome = try await connection.launch(telling: params.events)
    connection.declare(params.delegates)
    if let process = params.processId.flatMap(Int32.init(exactly:)) { connection.peer?.watch(process: process) }
    connection.didLaunch(outcome)
    return connection.bridge.serverInfo(launch: outcome.report)
  }
}

/// Who a host is.
struct ClientInfo: Record {
  var name: String
  var version: String?
  static let fields = Fields(
    Self.init, Field("name", \.name, "The host program's name."),
    Field("version", \.version, "Its version."))
}

/// Who a server is.
struct ServerInfo: Record {
  static let protocolVersion = "1"

  var name: String
  var version: String
  var sdkVersion: String
  var protocolVersion: String
  var limits: [String: Int]
  var schemaHash: String
  var launch: LaunchReport
  static let schemaName: String? = "ServerInfo"
  static let fields = Fields(
    Self.init,
    Field("name", \.name, "The server's name."), Field("version", \.version, "Its version."),
    Field("sdkVersion", \.sdkVersion, "The level of the SDK that is implemented."),
    Field("protocolVersion", \.protocolVersion, "The version of the protocol that the server speaks."),
    Field("limits", \.limits, "What one connection may ask of the server, by the names in data.limit."),
    Field("schemaHash", \.schemaHash, "SHA-256, in hex, of the document that `mambridge schema` prints."),
    Field("launch", \.launch, "Whether the application may go on."))
}

extension BridgeConnection {
  /// With its events. A host that learns of a failure, or waits no more, is told nothing afterwards.
  fileprivate func launch(telling names: [PushName]) async throws(MAMError) -> AppStart.Outcome {
    let starts = try subscribe(to: names)
    do throws(MAMError) {
      let outcome = try await core.appStart.run(in: launchSession)
      guard CommitPoint.current?.pass() ?? true else {
        throw MAMError(.cancelled, "nobody waits for the answer any more; the connection is still a script's")
      }
      return outcome
    } catch {
      subscriptions.remove(starts)
      logPush.stop()
      telemetryPush.stop()
      throw error
    }
  }
}

extension Bridge {
  /// Who is there, for the log. A log that cannot be written is no reason to refuse a host.
  fileprivate func note(_ client: ClientInfo?, speaking protocolVersion: String?) {
    guard client != nil || protocolVersion != nil, let log = try? core.refresh().log else { return }
    if let client {
      let version = client.version ?? "of unknown version"
      log.write(.info, .server, "a host is there: \(public: client.name.start) \(public: version.start)")
    }
    if let protocolVersion, protocolVersion != ServerInfo.protocolVersion {
      log.write(
        .warning, .server,
        "the host speaks protocol \(public: protocolVersion.start), not \(public: ServerInfo.protocolVersion)")
    }
  }

  fileprivate func serverInfo(launch: LaunchReport) -> ServerInfo {
    let schema = Array(OpenRPC.text(serverVersion: version).utf8)
    return ServerInfo(
      name: "mambridge", version: version, sdkVersion: Device.implementedSDKVersion,
      protocolVersion: ServerInfo.protocolVersion, limits: Limits.values(limits),
      schemaHash: (try? SHA256.digest(schema)).map(Hex.encode) ?? "", launch: launch)
  }
}

extension String {
  /// What of a host's text is enough for a log.
  fileprivate var start: String { String(prefix(100)) }
}
