import BridgeAPI
import Cryptography
import JSONRPC
import MAM
import Model
import Support

extension MethodTable.Declarations {
  mutating func addInitialize() {
    work(Initialize.self) { params, core, connection throws(MAMError) in
      connection.bridge.note(params.client, speaking: params.protocolVersion)
      if let locale = params.locale { connection.speak(locale) }
      let outcome = try await connection.launch(telling: params.events)
      connection.declare(params.delegates)
      if let process = params.processId.flatMap(Int32.init(exactly:)) { connection.peer?.watch(process: process) }
      connection.didLaunch(outcome)
      return connection.bridge.serverInfo(launch: outcome.report)
    }
  }
}

extension BridgeConnection {
  /// With its events. A host that learns of a failure, or waits no more, is told nothing afterwards.
  fileprivate func launch(telling names: [PushName]) async throws(MAMError) -> Launch.Outcome {
    let starts = try subscribe(to: names)
    do throws(MAMError) {
      let outcome = try await core.launch.run(in: launchSession)
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
      name: "mambridge", version: version, sdkVersion: SDKVersion.implementedVersion,
      protocolVersion: ServerInfo.protocolVersion, limits: Limits.values(limits),
      schemaHash: (try? SHA256.digest(schema)).map(Hex.encode) ?? "", launch: launch)
  }
}

extension String {
  /// What of a host's text is enough for a log.
  fileprivate var start: String { String(prefix(100)) }
}
