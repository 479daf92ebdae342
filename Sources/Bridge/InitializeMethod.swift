import BridgeAPI
import Cryptography
import JSONRPC
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addInitialize() {
    work(Initialize.self) { params, core, connection throws(MAMError) in
      connection.declare(params.delegates)
      try connection.subscribe(events: params.events.map(\.name))
      if let process = params.processId.flatMap(Int32.init(exactly:)) { connection.peer?.watch(process: process) }
      return connection.bridge.serverInfo(launch: try core.launch.run())
    }
  }
}

extension Bridge {
  fileprivate func serverInfo(launch: LaunchReport) -> ServerInfo {
    let schema = Array(OpenRPC.text(serverVersion: version).utf8)
    return ServerInfo(
      name: "mambridge", version: version, sdkVersion: SDKVersion.implementedVersion,
      protocolVersion: ServerInfo.protocolVersion, limits: Limits.values,
      schemaHash: (try? SHA256.digest(schema)).map(Hex.encode) ?? "", launch: launch)
  }
}
