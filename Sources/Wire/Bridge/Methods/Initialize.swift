import JSON
import JSONRPC
import MAM
import Model
import Support

enum Initialize: WorkMethod {
  static let name = "initialize"
  static let summary =
    "Start a session as a host: say who the host is, which requests it answers and which events it wants."
  static let details = """
    Optional. A connection without initialize is a script, whose requests run one after the other. After initialize, \
    slow requests run side by side and are answered when they are done. The call waits for all requests before it; in \
    a batch, or a second time, it is error -32600.

    initialize is the launch of the app. With AutoEnrollOnLaunch, and if no account is enrolled yet, the user that the \
    device is managed for is enrolled before the answer; policyDelegate.addIdentity is sent after it. Without \
    MultiIdentity, the conditional launch of the process identity is evaluated without asking anybody: the report has \
    every rule and the open challenges. A check-in is tried whenever conditionalLaunch.evaluate would try one. A wipe \
    begins before the answer and is completed after it. With MultiIdentity nothing is shown yet, so nothing is \
    evaluated. A blocked launch is a result, not an error. With MAMPolicyRequired, policy and data methods end with \
    policyRequired until an account has a policy.

    Requests of the server (x-delegates) go to the connection whose call caused them if it declared them here, or else \
    to the oldest connection that did. Without an answer within 60 s, their default applies. A protocolVersion that \
    the server does not speak is not an error: the result names the version that it speaks, and the host decides \
    whether to continue.

    Texts for the user are in the language of the connection's locale: challenges, alerts, prompts, compliance reports \
    and refusals. The languages are English, Portuguese, Spanish, Turkish, Italian and Japanese; any other locale gets \
    English. Without a locale, the server's language applies, which --locale or the environment sets. A challenge is \
    stored without a language, so each reader gets it in its own. What the server does by itself, and the texts in an \
    event, are in the language of the server or of the call that caused them.

    sdkLevel chooses between the SDK 19.2.0 (19) and 21.7.1 (21) for this connection wherever they contradict each \
    other, from the checks of this launch on. Without it, the setting sdkLevel applies, which also decides what the \
    server does by itself. New methods, events and values are there at both levels.
    """
  struct Params: Record {
    var client: ClientInfo?
    var delegates: [HostRequestName]
    var events: [PushName]
    var processId: Int?
    var protocolVersion: String?
    var locale: String?
    var sdkLevel: SDKLevel?
    static let fields = Fields(
      Self.init,
      Field("client", \.client, "Who the host is. Recorded in the diagnostics log."),
      Field("delegates", \.delegates, default: [], "The requests of the server that the host answers."),
      Field("events", \.events, default: [], "The events to push; events.subscribe adds more."),
      Field(
        "processId", \.processId,
        "The id of a process whose end counts as the end of input. hint says if it is not watched."),
      Field(
        "protocolVersion", \.protocolVersion,
        "The protocol version that the host speaks; the result names the server's."),
      Field(
        "locale", \.locale,
        "The language of the host's user, in BCP 47, such as pt-BR; defaults to the server's language."),
      Field(
        "sdkLevel", \.sdkLevel,
        "The SDK that the host was written against, where 19.2.0 and 21.7.1 differ; defaults to the setting sdkLevel."))
  }
  typealias Result = ServerInfo
  static let resultSummary = "Who the server is, its limits, and whether the app may continue."
  static let errors: [ErrorCode] = [.invalidRequest]
  static let example = Example(
    Params(
      client: ClientInfo(name: "notes", version: "2.1"), delegates: [HostRequestName(RestartApplication.self)],
      events: [PushName(PolicyDidChange.self)], processId: nil, protocolVersion: nil, locale: "pt-BR",
      sdkLevel: .sdk21),
    ServerInfo(
      name: "mambridge", version: "0.3.0", sdkVersion: Device.implementedSDKVersion,
      protocolVersion: ServerInfo.protocolVersion, limits: [:], schemaHash: String(repeating: "0", count: 64),
      launch: LaunchReport(verdict: .allow, reasons: [])))
  static let sdkMembers = [
    "IntuneMAMPolicyManager delegate", "IntuneMAMEnrollmentManager delegate", "IntuneMAMComplianceManager delegate",
    "IntuneMAMTelemetryManager delegate", "IntuneMAMPolicyManager logger",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> ServerInfo {
    connection.bridge.note(params.client, speaking: params.protocolVersion)
    if let locale = params.locale { connection.speak(locale) }
    if let level = params.sdkLevel { connection.setSDKLevel(level) }
    let givesTokens = params.delegates.contains { [GetAccessToken.name, AcquireToken.name].contains($0.name) }
    let outcome = try await connection.launch(telling: params.events, givesTokens: givesTokens)
    connection.declare(params.delegates)
    let hint = params.processId.flatMap { connection.watch(process: $0) }
    connection.didLaunch(outcome)
    return connection.bridge.serverInfo(launch: outcome.report, hint: hint)
  }
}

/// The name and version of a host.
struct ClientInfo: Record {
  var name: String
  var version: String?
  static let fields = Fields(
    Self.init, Field("name", \.name, "The name of the host program."),
    Field("version", \.version, "The version of the host program."))
}

/// What a server says about itself.
struct ServerInfo: Record {
  static let protocolVersion = "1"

  var name: String
  var version: String
  var sdkVersion: String
  var protocolVersion: String
  var limits: [String: Int]
  var schemaHash: String
  var launch: LaunchReport
  var hint: String?
  static let fields = Fields(
    Self.init,
    Field("name", \.name, "The name of the server."), Field("version", \.version, "The version of the server."),
    Field("sdkVersion", \.sdkVersion, "The SDK level that the server implements."),
    Field("protocolVersion", \.protocolVersion, "The protocol version that the server speaks."),
    Field("limits", \.limits, "The limits of a connection, by the names in data.limit."),
    Field("schemaHash", \.schemaHash, "The SHA-256, in hex, of the document that `mambridge schema` prints."),
    Field("launch", \.launch, "Whether the app may continue."),
    Field(
      "hint", \.hint,
      "What the host asked for and does not get, and what to do: for example, that the process of processId is not "
        + "watched."))
}

extension BridgeConnection {
  /// Runs the launch with the host's events subscribed. If it fails, or the host no longer waits, nothing stays
  /// subscribed.
  fileprivate func launch(
    telling names: [PushName], givesTokens: Bool
  ) async throws(MAMError) -> AppStart.Outcome {
    let starts = try subscribe(to: names)
    do throws(MAMError) {
      // The call began before the host's language and level were known.
      let outcome = try await run { [self] () async throws(MAMError) in
        try await core.appStart.run(in: launchSession, givesTokens: givesTokens)
      }
      guard CommitPoint.current?.pass() ?? true else {
        throw MAMError(.cancelled, "cancelled; the connection is still a script")
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

extension BridgeConnection {
  /// Watches the host's process. Returns why that is not possible; `nil` if the process is watched.
  fileprivate func watch(process: Int) -> String? {
    let number = Int32(exactly: process) ?? -1
    let reason: String
    switch ProcessWatch(number) {
    case .possible:
      if peer?.watch(process: number) == true { return nil }
      reason = "only a server on standard input and output watches a process"
    case .notVisible:
      reason = "no such process is visible to the server: it has ended, or it is in another PID namespace"
    case .refused(let error):
      reason = "the system lets the server watch no process (\(error.text))"
    }
    let hint =
      "process \(process) is not watched: \(reason). The server ends when its connection or its input is closed"
    if let log = try? core.refresh().log { log.write(.warning, .server, "\(public: hint)") }
    return hint
  }
}

extension Bridge {
  /// Logs who the host is. A log that cannot be written is no reason to refuse a host.
  fileprivate func note(_ client: ClientInfo?, speaking protocolVersion: String?) {
    guard client != nil || protocolVersion != nil, let log = try? core.refresh().log else { return }
    if let client {
      let version = client.version ?? "(unknown version)"
      log.write(.info, .server, "host connected: \(public: client.name.start) \(public: version.start)")
    }
    if let protocolVersion, protocolVersion != ServerInfo.protocolVersion {
      log.write(
        .warning, .server,
        """
        the host speaks protocol version \(public: protocolVersion.start), but the server speaks version \
        \(public: ServerInfo.protocolVersion)
        """)
    }
  }

  fileprivate func serverInfo(launch: LaunchReport, hint: String?) -> ServerInfo {
    ServerInfo(
      name: "mambridge", version: version, sdkVersion: Device.implementedSDKVersion,
      protocolVersion: ServerInfo.protocolVersion, limits: Limits.values(limits),
      schemaHash: OpenRPC.hash, launch: launch, hint: hint)
  }
}

extension String {
  /// The beginning of a host's text, which is enough for the log.
  fileprivate var start: String { String(prefix(100)) }
}
